// A partition's outcomes from the beginning, in the order of their events, each once: copies left
// out, up to the first one that is missing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/relation/codec.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold {

class OutcomeScan {
 public:
  static constexpr std::size_t kPollRecordsMax = 10'000;

  using Take = std::function<void(const Outcome&)>;

  // The ports outlive it.
  OutcomeScan(EventLog& log, LogReader& reader, ScanPace& pace, Partition partition)
      : log_(log), reader_(reader), pace_(pace), partition_(partition) {}

  // Reads on to the end that the topic has now. Errors: kRefused, the topic's beginning is gone;
  // kTimeout, the pace said stop; the log's. Blocks as long as it takes.
  [[nodiscard]] Status ReadOn(const Take& take);
  // Goes on with what is decided and not in the topic yet. Requires: rows by `first`.
  void ReadOutbox(std::span<const OutboxRow> outbox, const Take& take);

  // The event whose outcome comes next.
  [[nodiscard]] Offset next_event() const noexcept { return next_event_; }

 private:
  void TakeRecord(std::string_view value, const Take& take);

  EventLog& log_;
  LogReader& reader_;
  ScanPace& pace_;
  const Partition partition_;
  Offset next_event_;
  Offset next_record_;
};

}  // namespace fanfold
