#include "projector/relations/relation_batch.h"

#include <string>
#include <utility>

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

void RelationBatch::Decide(OutcomeSink& outcomes) {
  std::string value;
  for (const ReadEvent& read : events_) {
    Outcome outcome;
    if (read.event) {
      const Edge& edge = rows_.EdgeOf(read.item);
      const EdgeCount count = rows_.CountOf(read.item);
      outcome = fanfold::Decide(edge, count, *read.event, read.position, limit_);
      rows_.Move(read.item, fanfold::Apply(edge, outcome));
    } else {
      outcome = Park(read.position, read.event.error().reason, read.event.error().event_id);
    }
    value.clear();
    AppendOutcome(value, outcome);
    outcomes.Add(value);
  }
}

void RelationBatch::Apply() {
  for (std::size_t item = 0; item < kept_.size(); ++item) {
    rows_.Move(item, fanfold::Apply(rows_.EdgeOf(item), kept_[item]));
  }
}

const RowWrites& RelationBatch::Writes() {
  writes_ = rows_.Writes();
  return writes_;
}

}  // namespace fanfold::projector
