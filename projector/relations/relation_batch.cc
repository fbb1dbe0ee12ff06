#include "projector/relations/relation_batch.h"

#include <string>
#include <utility>

#include "common/stream/outcome_reason.h"

namespace fanfold::projector {

static_assert(kBatchRecordsMax <= EdgeStore::kEdgesMax, "a record touches one edge");

std::vector<std::expected<Decided, Unreadable>> ReadOutcomesOf(std::span<const LogRecord> records,
                                                               ReadOutcomes& outcomes) {
  std::vector<std::expected<Decided, Unreadable>> said;
  said.reserve(records.size());
  outcomes.reserve(records.size());
  for (const LogRecord& record : records) {
    const auto& outcome = outcomes.emplace_back(ReadOutcomeRecord(record.value, record.partition));
    if (outcome) {
      said.push_back(Decided{outcome->position, outcome->parked, outcome->event_id});
    } else {
      said.push_back(std::unexpected(outcome.error()));
    }
  }
  return said;
}

std::vector<UnreadableEvent> RelationBatch::ReadEvents(std::span<const TakenEvent> events) {
  std::vector<UnreadableEvent> unreadable;
  events_.reserve(events.size());
  std::size_t items = 0;
  for (const TakenEvent& taken : events) {
    const LogRecord& record = taken.record;
    ReadEvent& read = events_.emplace_back(
        Position{record.partition, record.offset},
        ReadEventRecord(record.key, record.value, record.partition, place_.placement.partitions()));
    if (read.event) {
      rows_.Add(KeyOf(list_, read.event->subject, read.event->object));
      read.item = items++;
    } else {
      unreadable.push_back({events_.size() - 1, read.event.error()});
    }
  }
  rows_.Seal();
  return unreadable;
}

void RelationBatch::Keep(std::span<const std::size_t> places) {
  for (const std::size_t place : places) {
    Outcome& outcome = *decided_[place];
    if (!MovesEdge(outcome)) continue;
    const EdgeKey key = KeyOf(list_, outcome.subject, outcome.object);
    if (place_.placement.ShardOf(key.user) != place_.shard) continue;
    rows_.Add(key);
    kept_.push_back(std::move(outcome));
  }
  rows_.Seal();
}

Status RelationBatch::Fill() {
  if (Status filled = loader_.Fill(rows_); !filled) return filled;
  const std::vector<UserId> users = AskedAbout();
  if (users.empty()) return {};
  Result<EndedAccounts::Ended> ended = accounts_.Among(users);
  if (!ended) return Forward(ended);
  ended_ = *std::move(ended);
  return {};
}

// Who decides asks about both, who keeps fans about those who gain one.
std::vector<UserId> RelationBatch::AskedAbout() const {
  std::vector<UserId> users;
  for (const ReadEvent& read : events_) {
    if (!read.event) continue;
    users.push_back(read.event->subject);
    if (read.event->type == EventType::kFollow) users.push_back(read.event->object);
  }
  for (const Outcome& outcome : kept_) {
    const bool gains_fan = list_ == Direction::kFans && outcome.kind == OutcomeKind::kFollowed;
    if (gains_fan) users.push_back(outcome.object);
  }
  return users;
}

void RelationBatch::Decide(OutcomeSink& outcomes) {
  std::string value;
  for (const ReadEvent& read : events_) {
    Outcome outcome;
    if (read.event) {
      const Edge& edge = rows_.EdgeOf(read.item);
      const EdgeCount count = rows_.CountOf(read.item);
      const EndedOf ended{ended_.contains(read.event->subject),
                          ended_.contains(read.event->object)};
      outcome = fanfold::Decide(edge, count, *read.event, read.position, limit_, ended);
      rows_.Move(read.item, fanfold::Apply(edge, outcome));
    } else {
      outcome = Park(read.position, read.event.error().reason, read.event.error().event_id);
    }
    value.clear();
    AppendOutcome(value, outcome);
    outcomes.Add(value, ToString(outcome.kind), ReasonOf(outcome));
  }
}

void RelationBatch::Apply() {
  for (std::size_t item = 0; item < kept_.size(); ++item) {
    const EdgeChange change = fanfold::Apply(rows_.EdgeOf(item), kept_[item]);
    rows_.Move(item, change);
    if (change.changed) NoteReached(kept_[item]);
  }
}

void RelationBatch::NoteReached(const Outcome& outcome) {
  if (outcome.kind != OutcomeKind::kFollowed) return;
  const auto ended = ended_.find(outcome.object);
  if (ended == ended_.end()) return;
  const std::vector<Offset>& ends = ended->second.ends[streams::kRelations];
  const auto p = static_cast<std::size_t>(outcome.position.partition.value);
  if (p < ends.size() && outcome.position.offset < ends[p]) return;
  reached_.insert(ended->second.key);
}

const RowWrites& RelationBatch::Writes() {
  writes_ = rows_.Writes();
  writes_.reached.assign(reached_.begin(), reached_.end());
  return writes_;
}

}  // namespace fanfold::projector
