#include "projector/runtime/patient_poll.h"

#include <chrono>
#include <thread>

namespace fanfold::projector {
namespace {

constexpr std::int64_t kPollTimeoutMs = 1'000;
constexpr std::chrono::milliseconds kRetryPause{200};

}  // namespace

Result<LogBatch> PollPatiently(LogReader& reader, std::size_t records_max, ScanPace& pace) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(kLogSilenceMaxMs);
  while (true) {
    Result<LogBatch> batch = reader.Poll(records_max, kPollTimeoutMs);
    if (batch && !batch->records.empty()) return batch;
    if (!batch && batch.error().code != ErrorCode::kUnavailable) return batch;
    if (!pace.Read(0)) return Fail(ErrorCode::kTimeout, "stopped");
    if (std::chrono::steady_clock::now() >= until) {
      return Fail(ErrorCode::kUnavailable, "the log does not give what it says it has");
    }
    if (!batch) std::this_thread::sleep_for(kRetryPause);
  }
}

}  // namespace fanfold::projector
