#include "projector/audit/outcome_scan.h"

#include <fmt/format.h>

#include "projector/runtime/outbox_codec.h"
#include "projector/runtime/patient_poll.h"

namespace fanfold {

Status OutcomeScan::ReadOn(const Take& take) {
  Result<LogBounds> bounds = log_.Bounds(topics::kRelationOutcomes, partition_);
  if (!bounds) return Forward(bounds);
  if (next_record_ < bounds->begin) {
    return Fail(ErrorCode::kRefused,
                fmt::format("the outcomes of partition {} begin at {}: what was deleted cannot be "
                            "folded again",
                            partition_.value, bounds->begin.value));
  }
  if (next_record_ >= bounds->end) return {};
  if (Status started = reader_.Start(partition_, next_record_); !started) return started;
  Status read;
  while (read && next_record_ < bounds->end) {
    Result<LogBatch> batch = PollPatiently(reader_, kPollRecordsMax, pace_);
    if (!batch) {
      read = Forward(batch);
    } else {
      for (const LogRecord& record : batch->records) {
        next_record_ = Next(record.offset);
        if (record.value) TakeRecord(*record.value, take);
      }
      if (!pace_.Read(std::ssize(batch->records))) read = Fail(ErrorCode::kTimeout, "stopped");
    }
  }
  reader_.Stop(partition_);
  return read;
}

void OutcomeScan::ReadOutbox(std::span<const OutboxRow> outbox, const Take& take) {
  for (const OutboxRow& row : outbox) {
    std::string_view rest = row.outcomes;
    while (const auto record = projector::TakeOutboxRecord(rest)) TakeRecord(record->value, take);
  }
}

void OutcomeScan::TakeRecord(std::string_view value, const Take& take) {
  const auto outcome = ReadOutcomeRecord(value, partition_);
  if (!outcome || outcome->position.offset != next_event_) return;
  next_event_ = Next(next_event_);
  take(*outcome);
}

}  // namespace fanfold
