#include "common/base/cause_filter.h"

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
  std::erase_if(told_, [&](const auto& told) {
    return now_ms - told.second.at_ms >= kAgainMs && told.second.untold == 0;
  });
  if (told_.size() >= kCausesMax) return 0;
  told_.emplace(cause, Told{now_ms, 0});
  return 1;
}

}  // namespace fanfold
