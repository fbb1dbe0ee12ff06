// Linux' numbers about this process, named as Prometheus' own client libraries name them.
#pragma once

#include <mutex>

#include "common/base/metrics.h"

namespace fanfold {

// process_cpu_seconds_total, process_start_time_seconds, process_resident_memory_bytes,
// process_virtual_memory_bytes, process_open_fds, process_max_fds; and fanfold_build_info, 1, which
// has the version as a label. Thread-safe.
class ProcessMetrics {
 public:
  // `metrics` outlives it.
  explicit ProcessMetrics(Metrics& metrics);

  // Reads them anew from /proc; what cannot be read stays as it was. Blocks for as long as it takes
  // to count the process's descriptors.
  void Update();

 private:
  Counter& cpu_seconds_;
  Gauge& resident_bytes_;
  Gauge& virtual_bytes_;
  Gauge& open_fds_;
  Gauge& max_fds_;
  std::mutex mutex_;  // a counter is moved by what it lacks
};

}  // namespace fanfold
