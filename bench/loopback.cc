#include "bench/loopback.h"

#include <arpa/inet.h>
#include <cerrno>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/socket.h>

namespace fanfold::bench {

int ConnectLoopback(std::uint16_t port) {
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int connected = ::socket(AF_INET, SOCK_STREAM, 0);
  if (connected < 0 || ::setsockopt(connected, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
      ::connect(connected, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error(fmt::format("cannot connect to port {}: errno {}", port, errno));
  }
  return connected;
}

}  // namespace fanfold::bench
