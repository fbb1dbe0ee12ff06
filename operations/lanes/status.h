// How far the projections are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "operations/base/context.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {

struct LaneReport {
  Shard shard;
  LaneStatus status;
  bool read = false;                        // of the generation that readers use
  Offset end;                               // of the topic that the lane reads
  std::int64_t lag_events = 0;              // events that are not yet in its rows
  std::int64_t lag_ms = 0;                  // age of the oldest of them, 0 if none
  std::optional<double> events_per_second;  // since the report before
};

struct StatusReport {
  std::int64_t at_ms = 0;  // when it was made, by a clock that never goes back
  ReadGenerations read;
  std::int32_t partitions = 0;
  std::int32_t shards = 0;
  std::vector<LaneReport> lanes;  // by projection, generation, partition, shard
  PerProjection<OpenWork> open;   // what their rows say is begun and not done, on all shards
  std::vector<Error> failures;    // of shards that do not answer: their lanes are not here
};

// Work that the rows of each projection say is begun and not done, on the shards that answer.
[[nodiscard]] PerProjection<OpenWork> OpenWorkOf(const ShardReaders& readers);

// Sets the rates of `now` from what each lane did since `before`.
void SetRates(StatusReport& now, const StatusReport& before);

// One thread at a time. Blocks as the ports do.
class StatusSource {
 public:
  // The context outlives it. Errors: the ports'.
  [[nodiscard]] static Result<StatusSource> Open(Context& context);

  // Errors: the catalog's shard or the log does not answer; of other shards,
  // StatusReport::failures.
  [[nodiscard]] Result<StatusReport> Read();
  // Reads twice, half a second apart, where something lags: that gives its rate.
  [[nodiscard]] Result<StatusReport> ReadWithRates();

 private:
  StatusSource(Context& context, std::shared_ptr<EventLog> log, ShardReaders readers)
      : context_(&context), log_(std::move(log)), readers_(std::move(readers)) {}
  [[nodiscard]] Status SetAges(Stream stream, StatusReport& report);

  Context* context_;
  std::shared_ptr<EventLog> log_;
  ShardReaders readers_;
};

}  // namespace fanfold::operations
