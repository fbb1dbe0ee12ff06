#pragma once

#include <cstdint>

namespace fanfold {

// Told of all that a long scan reads, so that it can be slowed down, shown and stopped.
class ScanPace {
 public:
  virtual ~ScanPace() = default;

  // How many rows and records there will be, about; may be said again.
  virtual void Expect(std::int64_t items) = 0;
  // So many more have been read; blocks for as long as the pace asks for. False: stop.
  [[nodiscard]] virtual bool Read(std::int64_t items) = 0;
};

}  // namespace fanfold
