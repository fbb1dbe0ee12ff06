#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/metrics.h"
#include "common/ports/lane.h"

namespace fanfold::projector {

// The projector's series, each labelled with its projection. `metrics` outlive it.
struct ProjectorMetrics {
  ProjectorMetrics(Metrics& metrics, Projection projection);

  Counter& records;  // taken from the log and committed
  Counter& edges;    // rows written
  Counter& repeats;  // records below a lane's position, dropped
  Counter& parked;
  Counter& fenced;  // batches dropped because somebody else owned the lane
  Counter& halted;
  Counter& claims;
  Counter& retries;  // transactions tried again after a conflict
  Gauge& outbox;     // outcomes that are committed and not known to be in the topic
  Gauge& deleted_accounts;
  Histogram& batch;  // records of one transaction
  Histogram& commit_seconds;
  Histogram& load_seconds;

  // Events that were decided so.
  void CountOutcomes(std::string_view kind, std::string_view reason, std::int64_t count);

 private:
  Metrics& metrics_;
  const Projection projection_;
};

}  // namespace fanfold::projector
