#pragma once

#include <cstdint>
#include <stop_token>

namespace fanfold {

// Blocks for wait_ms, or until a stop is requested.
void PauseUnlessStopped(std::int64_t wait_ms, const std::stop_token& stop);

}  // namespace fanfold
