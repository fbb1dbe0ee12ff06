#include "common/base/cause_filter.h"

#include <algorithm>
#include <utility>

namespace fanfold {

std::int64_t CauseFilter::Tell(std::string_view cause, std::int64_t now_ms) {
  const std::scoped_lock lock(mutex_);
  const auto known = told_.find(cause);
  if (known != told_.end()) {
    Told& told = known->second;
    if (now_ms - told.at_ms < kAgainMs) {
      ++told.untold;
      return 0;
    }
    told.at_ms = now_ms;
    return std::exchange(told.untold, 0) + 1;
  }
  if (told_.size() == kCausesMax) {
    // Perhaps with some untold: one that does not come again must not keep another's place.
    const auto oldest =
        std::ranges::min_element(told_, {}, [](const auto& entry) { return entry.second.at_ms; });
    if (now_ms - oldest->second.at_ms < kAgainMs) return 0;
    told_.erase(oldest);
  }
  told_.emplace(cause, Told{now_ms, 0});
  return 1;
}

void LogCause(CauseFilter& causes, LogLevel level, std::string_view what, std::string_view why,
              std::int64_t now_ms) {
  const std::int64_t times = causes.Tell(why, now_ms);
  if (times > 0) Log(level, what, {{"why", why}, {"times", times}});
}

}  // namespace fanfold
