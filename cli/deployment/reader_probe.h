#pragma once

#include <cstdint>
#include <span>

#include "common/base/result.h"
#include "common/http/http_client.h"
#include "common/stream/position.h"

namespace fanfold {

// Do the answers of the reader that listens there hold the events at these positions? True as well
// where nothing listens. Errors: kUnavailable and kUnknown, it did not answer. Blocks for at most
// timeout_ms for each few hundred positions.
[[nodiscard]] Result<bool> ReaderReached(const http::HttpEndpoint& at,
                                         std::span<const StreamPosition> positions,
                                         std::int64_t timeout_ms);

}  // namespace fanfold
