// Connections of load generators, which are on the machine of what they load.
#pragma once

#include <cstdint>

namespace fanfold::bench {

// A connected TCP socket that sends at once; the caller closes it. Blocks. Throws
// std::runtime_error when nobody listens there.
[[nodiscard]] int ConnectLoopback(std::uint16_t port);

}  // namespace fanfold::bench
