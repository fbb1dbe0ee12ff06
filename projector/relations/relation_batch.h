// Events and outcomes of edges while they are folded.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/relation/codec.h"
#include "common/relation/event.h"
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
  // `rows` and `place` outlive it.
  RelationBatch(RowLoader& rows, Direction list, FollowLimit limit, const WorkPlace& place)
      : loader_(rows), list_(list), limit_(limit), place_(place) {}

  std::vector<UnreadableEvent> ReadEvents(std::span<const TakenEvent> events) override;
  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    return ReadOutcomesOf(records, decided_);
  }
  // Leaves out what moves no row of this shard.
  void Keep(std::span<const std::size_t> places) override;

  bool NeedsRows() const noexcept override { return !rows_.keys().empty(); }
  Status Fill() override { return loader_.Fill(rows_); }
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

  RowLoader& loader_;
  const Direction list_;
  const FollowLimit limit_;
  const WorkPlace& place_;
  std::vector<ReadEvent> events_;
  ReadOutcomes decided_;
  std::vector<Outcome> kept_;  // item i of rows_ is kept_[i]
  RowSet rows_;
  EdgeWrites writes_;
};

}  // namespace fanfold::projector
