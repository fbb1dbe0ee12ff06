#include "operations/explain/stray_events.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "common/relation/codec.h"
#include "common/relation/edge.h"
#include "operations/log/record_reader.h"
#include "operations/parked/parked_rows.h"

namespace fanfold::operations {
namespace {

bool MayBeOf(const ParkedRow& row, UserId subject, Partition home) {
  if (row.lane.partition == home || TopicOf(row).of_outcomes()) return false;
  if (row.reason == ParkReason::kKeyMismatch) return true;
  return row.reason == ParkReason::kWrongPartition && ParseUserId(row.key) == subject;
}

std::optional<EdgeEvent> ReadStray(const StoredRecord& record, const ParkedRow& row) {
  if (!record.value) return std::nullopt;
  auto event = DecodeEvent(*record.value);
  if (!event) return std::nullopt;
  return EdgeEvent{record.position, record.appended_ms, std::move(*event),
                   Park(record.position, row.reason, row.event_id)};
}

}  // namespace

Result<StrayEvents> FindStrays(const ShardReaders& readers, EventLog& log, UserId subject,
                               UserId object, Partition home) {
  auto parked = AllParked(readers, DeciderOf(streams::kRelations).value(), kParkedLookedAtMax);
  if (!parked) return Forward(parked);
  StrayEvents strays;
  strays.all = parked->size() < kParkedLookedAtMax;
  std::erase_if(*parked, [&](const ShardParked& at) { return !MayBeOf(at.row, subject, home); });
  if (parked->size() > kStraysReadMax) {
    strays.all = false;
    parked->resize(kStraysReadMax);
  }
  std::vector<Position> positions;
  positions.reserve(parked->size());
  for (const ShardParked& at : *parked) positions.push_back(PositionOf(at.row));
  const auto records = ReadRecords(log, topics::kRelationEvents, positions);
  if (!records) return std::unexpected(records.error());
  for (std::size_t i = 0; i < records->size(); ++i) {
    const std::optional<StoredRecord>& record = (*records)[i];
    if (!record) {
      strays.all = false;
      continue;
    }
    auto stray = ReadStray(*record, (*parked)[i].row);
    if (!stray || stray->event.subject != subject || stray->event.object != object) continue;
    strays.events.push_back(std::move(*stray));
  }
  std::ranges::sort(strays.events, {}, &EdgeEvent::position);
  return strays;
}

}  // namespace fanfold::operations
