// The thread that erases deleted accounts, and what it tells.
#pragma once

#include <thread>

#include "common/base/cause_filter.h"
#include "projector/profiles/eraser.h"

namespace fanfold::projector {

class EraseTask final : public Task {
 public:
  // Bounds one process: how much deletions ask of the log beside live writes.
  static constexpr std::int64_t kEventsPerSecond = 2'000;
  static constexpr std::int64_t kLookMs = 1'000;   // while there is nothing to erase
  static constexpr std::int64_t kRecheckMs = 100;  // while accounts wait for the tables
  static constexpr std::int64_t kRestFactor = 4;   // a pause lasts at least so many times the look

  explicit EraseTask(const TaskPorts& ports);
  // Blocks for at most Eraser::kAppendWaitMs, or as a statement of the tables does.
  ~EraseTask() override = default;

 private:
  void Run(const std::stop_token& stop);
  void Tell(const EraseRound& round);

  const Clock& clock_;
  Eraser eraser_;
  CauseFilter causes_;
  Gauge& open_;
  Gauge& waiting_;
  Gauge& oldest_;
  Gauge& still_;
  Counter& events_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace fanfold::projector
