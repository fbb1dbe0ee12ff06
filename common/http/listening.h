// Sockets that listen, and whom they bring. Internal to common/http.
#pragma once

// clang-format off
#include <utility>  // Boost 1.74 needs it and does not include it
// clang-format on
#include <boost/asio/ip/tcp.hpp>

#include "common/base/peers.h"

namespace fanfold::http {

using ReusePort = boost::asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

// Sockets that share a port do not notice those of another process that shares it too: one that
// shares nothing does.
[[nodiscard]] boost::system::error_code TryExclusively(
    const boost::asio::ip::tcp::endpoint& endpoint);

// That of one that is gone by now is nobody's.
[[nodiscard]] PeerAddress PeerOf(const boost::asio::ip::tcp::socket& socket);

}  // namespace fanfold::http
