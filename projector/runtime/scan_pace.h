#pragma once

#include <cstdint>

namespace fanfold::projector {

// Told of all that a long scan reads, so that it can be slowed down, shown and stopped.
class ScanPace {
 public:
  virtual ~ScanPace() = default;

  // So many more have been read; blocks for as long as the pace asks for. False: stop.
  [[nodiscard]] virtual bool Read(std::int64_t items) = 0;
};

}  // namespace fanfold::projector
