#include "reader/cache/reader_position.h"

namespace fanfold::reader {

bool ReaderPosition::PassedAll(std::span<const std::atomic<std::int64_t>> ends) const noexcept {
  if (!running()) return false;
  for (std::size_t p = 0; p < ends.size(); ++p) {
    if (next_[p].load(std::memory_order_acquire) < ends[p].load(std::memory_order_relaxed)) {
      return false;
    }
  }
  return true;
}

void ReaderPosition::StandAt(std::span<const Offset> next) noexcept {
  for (std::size_t p = 0; p < next.size(); ++p) next_[p].store(next[p].value);
  running_.store(true, std::memory_order_release);
}

}  // namespace fanfold::reader
