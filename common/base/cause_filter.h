// Decides which failures are logged: each cause once, and again after a while with how often it
// came. So no cause goes untold, and no log is flooded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "common/base/logging.h"

namespace fanfold {

// Thread-safe.
class CauseFilter {
 public:
  static constexpr std::int64_t kAgainMs = 60'000;
  // Told within kAgainMs; what exceeds them is not.
  static constexpr std::size_t kCausesMax = 32;

  // How many failures of this cause are to be told now (by the steady clock): this one and those
  // that were not told since. 0: none.
  [[nodiscard]] std::int64_t Tell(std::string_view cause, std::int64_t now_ms);

 private:
  struct Told {
    std::int64_t at_ms = 0;
    std::int64_t untold = 0;
  };
  std::mutex mutex_;
  std::map<std::string, Told, std::less<>> told_;
};

// Logs what fails and why, where the filter tells that cause now.
void LogCause(CauseFilter& causes, LogLevel level, std::string_view what, std::string_view why,
              std::int64_t now_ms);

}  // namespace fanfold
