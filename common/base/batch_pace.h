// When the next batch is worth its transaction: events that come one at a time, close together,
// share one, and whoever comes alone never waits. Pure; time is a parameter (steady milliseconds).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fanfold {

class BatchPace {
 public:
  // A batch waits at most this long for companions, and only where batches come this close.
  static constexpr std::int64_t kGatherMs = 2;
  // A batch of so many pays for its transaction.
  static constexpr std::size_t kWorthwhileRecords = 64;

  // A batch was taken, and is done.
  void Note(std::size_t records, std::int64_t began_ms, std::int64_t ended_ms) noexcept {
    is_dense_ = began_ms - ended_ms_ < kGatherMs && 1 < records && records < kWorthwhileRecords;
    ended_ms_ = ended_ms;
  }

  // How long to wait before the next one is taken.
  [[nodiscard]] std::int64_t WaitMs(std::int64_t now_ms) const noexcept {
    const std::int64_t left_ms = ended_ms_ + kGatherMs - now_ms;
    return is_dense_ && left_ms > 0 ? left_ms : 0;
  }

 private:
  bool is_dense_ = false;  // the last batch came soon after the one before it, and was small
  std::int64_t ended_ms_ = 0;
};

}  // namespace fanfold
