#include "projector/runtime/batch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "projector/runtime/outbox_codec.h"

namespace fanfold::projector {
namespace {

ParkedRow ParkedRowOf(const Lane& lane, const LogRecord& record, const Unreadable& why) {
  ParkedRow row;
  row.lane = lane.id;
  row.offset = record.offset;
  row.reason = why.reason;
  row.detail = why.detail;
  row.event_id = why.event_id;
  row.key = std::string(record.key.value_or(std::string_view()).substr(0, kParkedKeyBytesMax));
  row.appended_ms = record.appended_ms;
  return row;
}

// As its decider had parked it. The outcome says which event and why; its own time is near.
ParkedRow ParkedRowOf(const Lane& lane, const LogRecord& record, const Decided& decided) {
  ParkedRow row = ParkedRowOf(lane, record,
                              Unreadable{.reason = *decided.parked,
                                         .detail = "parked before the tables were restored",
                                         .event_id = std::string(decided.event_id)});
  row.offset = decided.event.offset;
  return row;
}

// The last record each lane has taken of a topic; by its mark the lane's next owner knows the log.
// One that folds again what it knows keeps what it knows last.
class LastTaken {
 public:
  explicit LastTaken(RecordMark LaneProgress::* mark) noexcept : mark_(mark) {}
  void Note(Lane& lane, const LogRecord& record) {
    if (lane_ != &lane) Settle();
    lane_ = &lane;
    record_ = &record;
  }
  void Settle() {
    if (Lane* lane = std::exchange(lane_, nullptr)) {
      RecordMark& mark = lane->draft.*mark_;
      const bool is_further = mark.digest == 0 || record_->offset >= mark.offset;
      if (is_further) mark = {record_->offset, DigestOf(*record_)};
    }
  }

 private:
  RecordMark LaneProgress::* const mark_;
  Lane* lane_ = nullptr;
  const LogRecord* record_ = nullptr;
};

// Takes one record of the outcome topic, of which the fold says `said`; true when it is to be
// applied.
bool TakeOutcome(Lane& lane, const LogRecord& record, const WorkPlace& place,
                 const std::expected<Decided, Unreadable>& said, std::vector<ParkedRow>& parked) {
  const bool was_decided = lane.id.projection.stream().outcomes().has_value();
  if (!said && !was_decided) {
    const Position own{record.partition, record.offset};
    if (lane.AdmitOutcome(own) == Admission::kTake) {
      parked.push_back(ParkedRowOf(lane, record, said.error()));
    }
    return false;
  }
  if (!said) {
    lane.SkipUnreadable();
    Unreadable why = said.error();
    why.detail = std::string(ToString(why.reason)) + ": " + why.detail;
    why.reason = ParkReason::kUnreadableOutcome;
    // A recovering lane only looks for what was decided; the lanes that apply park it.
    const bool parks_here =
        !lane.deciding && place.placement.ShardOf(record.partition) == place.shard;
    if (parks_here) parked.push_back(ParkedRowOf(lane, record, why));
    return false;
  }
  if (lane.AdmitOutcome(said->event) != Admission::kTake) return false;
  const bool parks_again = said->parked && lane.phase == LanePhase::kRecovering;
  if (parks_again) parked.push_back(ParkedRowOf(lane, record, *said));
  return true;
}

// What stands in an outbox in place of one event's outcome.
struct OutboxEntry {
  Lane* lane = nullptr;
  Offset event;
};

// The outcomes of one row that the lane's rows lack, as many as are `left`; one that is not
// well-formed has no value, and ends it.
void CollectOutboxRow(Lane& lane, const OutboxRow& row, std::size_t& left,
                      std::vector<OutboxEntry>& entries, std::vector<LogRecord>& records) {
  std::string_view rest = row.outcomes;
  for (Offset event = row.first; event < row.next && left > 0; event = Next(event)) {
    const std::optional<OutboxRecord> record = TakeOutboxRecord(rest);
    if (record && event < lane.draft.event_offset) continue;
    entries.push_back({&lane, event});
    records.push_back({.partition = row.partition,
                       .offset = event,
                       .appended_ms = 0,
                       .key = std::nullopt,
                       .value = record ? std::optional(record->value) : std::nullopt});
    --left;
    if (!record) return;
  }
}

}  // namespace

void OutcomeSink::Add(std::string_view value, std::string_view kind, std::string_view reason) {
  auto count = std::ranges::find_if(
      counts_, [&](const OutcomeCount& of) { return of.kind == kind && of.reason == reason; });
  if (count == counts_.end()) count = counts_.insert(count, {kind, reason, 0});
  ++count->count;
  const TakenEvent& taken = events_[next_++];
  std::vector<OutboxRow>& rows = taken.lane->decided;
  if (rows.empty() || rows.back().outcomes.size() >= kOutboxRowBytesMax) {
    const Offset first = taken.record.offset;
    rows.push_back({taken.record.partition, generation_, first, first, {}});
  }
  OutboxRow& row = rows.back();
  row.next = Next(taken.record.offset);
  AppendOutboxRecord(row.outcomes, {taken.record.key, value});
}

std::vector<TakenEvent> TakeEvents(LaneSet& lanes, std::span<const LogRecord> records) {
  std::vector<TakenEvent> taken;
  taken.reserve(records.size());
  LastTaken last(&LaneProgress::event_mark);
  for (const LogRecord& record : records) {
    Lane* lane = lanes.Find(record.partition);
    if (lane == nullptr || lane->phase != LanePhase::kDeciding) continue;
    if (lane->AdmitEvent(record) != Admission::kTake) continue;
    last.Note(*lane, record);
    taken.push_back({lane, record});
  }
  last.Settle();
  return taken;
}

void ReadEvents(std::span<const TakenEvent> events, FoldBatch& batch,
                std::vector<ParkedRow>& parked) {
  for (const UnreadableEvent& unreadable : batch.ReadEvents(events)) {
    const TakenEvent& taken = events[unreadable.at];
    parked.push_back(ParkedRowOf(*taken.lane, taken.record, unreadable.why));
  }
}

void TakeOutcomes(LaneSet& lanes, std::span<const LogRecord> records, const WorkPlace& place,
                  FoldBatch& batch, std::vector<ParkedRow>& parked) {
  const auto said = batch.ReadDecided(records);
  std::vector<std::size_t> kept;
  LastTaken last(&LaneProgress::applied_mark);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const LogRecord& record = records[i];
    Lane* lane = lanes.Find(record.partition);
    const bool reads_outcomes = lane != nullptr && (lane->phase == LanePhase::kRecovering ||
                                                    lane->phase == LanePhase::kApplying);
    if (!reads_outcomes || lane->AdmitOutcomeRecord(record) != Admission::kTake) continue;
    if (TakeOutcome(*lane, record, place, said[i], parked)) kept.push_back(i);
    if (!lane->halt) last.Note(*lane, record);
  }
  last.Settle();
  batch.Keep(kept);
}

void TakeOutboxes(LaneSet& lanes, std::size_t records_max, FoldBatch& batch) {
  std::vector<OutboxEntry> entries;
  std::vector<LogRecord> records;
  std::size_t left = records_max;
  for (Lane* lane : lanes.All()) {
    if (!lane->HasReadTopic()) continue;
    for (const OutboxRow& row : lane->outbox) {
      if (row.next > lane->draft.event_offset) {
        CollectOutboxRow(*lane, row, left, entries, records);
      }
    }
  }
  const auto said = batch.ReadDecided(records);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Lane& lane = *entries[i].lane;
    if (lane.halt) continue;
    if (!said[i] || said[i]->event.offset != entries[i].event) {
      lane.halt = halt_reasons::kOutcomesTruncated;
    } else if (lane.AdmitDecided(said[i]->event) == Admission::kTake) {
      kept.push_back(i);
    }
  }
  batch.Keep(kept);
}

LaneBatch MovesOf(LaneSet& lanes, Projection projection, const WorkPlace& place) {
  LaneBatch batch;
  batch.projection = projection;
  batch.generation = place.generation;
  for (Lane* lane : lanes.All()) {
    if (!lane->DraftMoved()) continue;
    batch.moves.push_back(
        {lane->id, lane->fence, lane->deciding, lane->progress.next_offset, lane->draft});
    batch.outbox.insert(batch.outbox.end(), lane->decided.begin(), lane->decided.end());
  }
  return batch;
}

}  // namespace fanfold::projector
