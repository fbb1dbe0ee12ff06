#include "projector/posts/post_batch.h"

#include <string>
#include <utility>

#include "common/stream/outcome_reason.h"

namespace fanfold::projector {

static_assert(kBatchRecordsMax <= PostStore::kPostsMax, "a record touches one post");

std::vector<UnreadableEvent> PostBatch::ReadEvents(std::span<const TakenEvent> events) {
  std::vector<UnreadableEvent> unreadable;
  events_.reserve(events.size());
  for (const TakenEvent& taken : events) {
    const LogRecord& record = taken.record;
    const ReadEvent& read = events_.emplace_back(
        Position{record.partition, record.offset},
        ReadPostRecord(record.key, record.value, record.partition, partitions_));
    if (read.event) {
      rows_.try_emplace(KeyOf(read.event->author, read.event->post_id));
    } else {
      unreadable.push_back({events_.size() - 1, read.event.error()});
    }
  }
  return unreadable;
}

Status PostBatch::Fill() {
  std::vector<RowKey> keys;
  keys.reserve(rows_.size());
  std::vector<UserId> authors;
  for (const auto& [key, row] : rows_) {
    keys.push_back(key);
    authors.push_back(key.user);
  }
  Result<std::vector<PostRow>> loaded = store_.Load(keys);
  if (!loaded) return Forward(loaded);
  std::size_t at = 0;
  for (auto& [key, row] : rows_) row.row = std::move((*loaded)[at++]);
  Result<EndedAccounts::Ended> ended = accounts_.Among(authors);
  if (!ended) return Forward(ended);
  ended_ = *std::move(ended);
  return {};
}

void PostBatch::Decide(OutcomeSink& outcomes) {
  std::string value;
  for (const ReadEvent& read : events_) {
    PostOutcome outcome;
    if (read.event) {
      DecidedRow& decided = rows_.at(KeyOf(read.event->author, read.event->post_id));
      outcome = fanfold::Decide(decided.row, *read.event, read.position,
                                ended_.contains(read.event->author));
      if (MovesPost(outcome)) {
        decided = {fanfold::Apply(std::move(decided.row), outcome), true};
      }
    } else {
      outcome = ParkPost(read.position, read.event.error().reason, read.event.error().event_id);
    }
    value.clear();
    AppendPostOutcome(value, outcome);
    outcomes.Add(value, ToString(outcome.kind), ReasonOf(outcome));
  }
}

// Rows that were decided and rows that were applied are never of one batch.
const RowWrites& PostBatch::Writes() {
  if (rows_.empty()) return applied_.writes();
  for (auto& [key, decided] : rows_) {
    if (decided.moved) writes_.posts.push_back({key, std::move(decided.row)});
  }
  rows_.clear();
  return writes_;
}

}  // namespace fanfold::projector
