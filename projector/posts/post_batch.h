// Events and outcomes of posts while they are folded.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <span>
#include <vector>

#include "common/ports/post_store.h"
#include "projector/accounts/ended_accounts.h"
#include "projector/posts/post_rows.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

class PostBatch final : public FoldBatch {
 public:
  // `store` and `accounts` outlive it.
  PostBatch(PostStore& store, EndedAccounts& accounts, std::int32_t partitions)
      : store_(store), accounts_(accounts), partitions_(partitions) {}

  std::vector<UnreadableEvent> ReadEvents(std::span<const TakenEvent> events) override;
  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    return applied_.Read(records);
  }
  void Keep(std::span<const std::size_t> places) override { applied_.Keep(places); }

  // An outcome says its row whole.
  bool NeedsRows() const noexcept override { return !rows_.empty(); }
  Status Fill() override;
  void Decide(OutcomeSink& outcomes) override;
  void Apply() override { applied_.Seal(); }
  const RowWrites& Writes() override;
  void Committed() override {}

 private:
  struct ReadEvent {
    Position position;
    std::expected<PostEvent, Unreadable> event;
  };
  struct DecidedRow {
    PostRow row;
    bool moved = false;
  };

  PostStore& store_;
  EndedAccounts& accounts_;
  const std::int32_t partitions_;
  std::vector<ReadEvent> events_;
  std::map<RowKey, DecidedRow> rows_;  // of the events
  EndedAccounts::Ended ended_;         // of their authors
  PostRows applied_;
  PostWrites writes_;
};

}  // namespace fanfold::projector
