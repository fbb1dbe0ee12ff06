#include "projector/audit/record_scan.h"

#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "projector/runtime/outbox_codec.h"
#include "projector/runtime/patient_poll.h"

namespace fanfold::projector {

Status RecordScan::ReadOn(const Take& take) {
  Result<LogBounds> bounds = log_.Bounds(projection_.stream().applied(), partition_);
  if (!bounds) return Forward(bounds);
  if (next_record_ < bounds->begin) {
    return Fail(
        ErrorCode::kRefused,
        fmt::format("partition {} of {} begins at {}: what was deleted cannot be folded "
                    "again",
                    partition_.value, projection_.stream().applied().name(), bounds->begin.value));
  }
  if (next_record_ >= bounds->end) return {};
  if (Status started = reader_.Start(partition_, next_record_); !started) return started;
  Status read;
  while (read && next_record_ < bounds->end) {
    Result<LogBatch> batch = PollPatiently(reader_, kPollRecordsMax, pace_);
    if (!batch) {
      read = Forward(batch);
    } else {
      TakeRecords(batch->records, take);
      if (!batch->records.empty()) next_record_ = Next(batch->records.back().offset);
      if (!pace_.Read(std::ssize(batch->records))) read = Fail(ErrorCode::kTimeout, "stopped");
    }
  }
  reader_.Stop(partition_);
  return read;
}

void RecordScan::ReadOutbox(std::span<const OutboxRow> outbox, const Take& take) {
  std::vector<LogRecord> records;
  for (const OutboxRow& row : outbox) {
    std::string_view rest = row.outcomes;
    while (const auto record = TakeOutboxRecord(rest)) {
      records.push_back({.partition = partition_,
                         .offset = next_record_,
                         .appended_ms = 0,
                         .key = record->key,
                         .value = record->value});
    }
  }
  TakeRecords(records, take);
}

void RecordScan::TakeRecords(std::span<const LogRecord> records, const Take& take) {
  said_.clear();
  KindOf(projection_).read(records, partitions_, said_);
  const bool was_decided = projection_.stream().outcomes().has_value();
  for (std::size_t i = 0; i < records.size(); ++i) {
    // An event that cannot be read is parked, and passed.
    if (!said_[i] && was_decided) continue;
    SaidRecord said = said_[i].value_or(SaidRecord());
    if (!was_decided) said.event = records[i].offset;
    if (said.event != next_event_) continue;
    next_event_ = Next(next_event_);
    take(said, records[i]);
  }
}

}  // namespace fanfold::projector
