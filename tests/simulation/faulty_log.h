// The log as a process in trouble sees it.
#pragma once

#include <memory>

#include "common/base/split_mix.h"
#include "common/ports/event_log.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/life.h"
#include "tests/simulation/simulated_clock.h"
#include "tests/simulation/transit.h"

namespace fanfold::simulation {

struct LogTroubles {
  Life& life;
  Nemesis& nemesis;
  SplitMix64& random;
  Transit& transit;
  SimulatedClock& clock;
};

// Within the contract of EventLog: polls may be late, cut, in another order between partitions, and
// repeat what was delivered; appends land when the schedule says so, or fail.
class FaultyLog final : public EventLog {
 public:
  FaultyLog(EventLog& log, const LogTroubles& troubles) : log_(log), troubles_(troubles) {}

  [[nodiscard]] Result<std::int32_t> PartitionCount(Topic topic) override;
  [[nodiscard]] std::vector<Result<LogBounds>> BoundsOf(
      Topic topic, std::span<const Partition> partitions) override;
  [[nodiscard]] Result<std::unique_ptr<LogReader>> NewReader(Topic topic,
                                                             const ReaderOptions& options) override;
  [[nodiscard]] Result<std::unique_ptr<LogAppender>> NewAppender(
      Topic topic, const AppenderOptions& options) override;
  [[nodiscard]] Result<std::string> Id() override { return log_.Id(); }
  [[nodiscard]] Status Ping(std::int64_t timeout_ms) override { return log_.Ping(timeout_ms); }

 private:
  EventLog& log_;
  LogTroubles troubles_;
};

}  // namespace fanfold::simulation
