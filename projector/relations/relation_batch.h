// Events and outcomes of edges while they are folded.
#pragma once

#include <cstddef>
#include <expected>
#include <set>
#include <span>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/relation/codec.h"
#include "common/relation/event.h"
#include "projector/accounts/ended_accounts.h"
#include "projector/relations/row_loader.h"
#include "projector/relations/row_set.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

using ReadOutcomes = std::vector<std::expected<Outcome, Unreadable>>;

// Adds the outcomes to `outcomes`; answers what they are to the lanes, with views into them.
[[nodiscard]] std::vector<std::expected<Decided, Unreadable>> ReadOutcomesOf(
    std::span<const LogRecord> records, ReadOutcomes& outcomes);

class RelationBatch : public FoldBatch {
 public:
  // `rows`, `accounts` and `place` outlive it.
  RelationBatch(RowLoader& rows, EndedAccounts& accounts, Direction list, FollowLimit limit,
                const WorkPlace& place)
      : loader_(rows), accounts_(accounts), list_(list), limit_(limit), place_(place) {}

  std::vector<UnreadableEvent> ReadEvents(std::span<const TakenEvent> events) override;
  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    return ReadOutcomesOf(records, decided_);
  }
  // Leaves out what moves no row of this shard.
  void Keep(std::span<const std::size_t> places) override;

  bool NeedsRows() const noexcept override { return !rows_.keys().empty(); }
  Status Fill() override;
  void Decide(OutcomeSink& outcomes) override;
  void Apply() override;

  const RowWrites& Writes() override;
  void Committed() override { loader_.Committed(writes_); }

 private:
  struct ReadEvent {
    Position position;
    std::expected<Event, Unreadable> event;
    std::size_t item = 0;  // of rows_; meaningless when unreadable
  };

  [[nodiscard]] std::vector<UserId> AskedAbout() const;
  // The fan was gained above what the object's end has walked, or is to walk.
  void NoteReached(const Outcome& outcome);

  RowLoader& loader_;
  EndedAccounts& accounts_;
  const Direction list_;
  const FollowLimit limit_;
  const WorkPlace& place_;
  std::vector<ReadEvent> events_;
  ReadOutcomes decided_;
  std::vector<Outcome> kept_;  // item i of rows_ is kept_[i]
  RowSet rows_;
  EndedAccounts::Ended ended_;
  std::set<ErasureKey> reached_;
  EdgeWrites writes_;
};

}  // namespace fanfold::projector
