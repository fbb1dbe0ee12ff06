// As much HTTP as a load generator needs: one keep-alive connection, one request at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fanfold::bench {

// Views into the connection's buffer, good until its next Send.
struct BareAnswer {
  int status = 0;
  std::string_view head;
  std::string_view body;

  // Empty when there is no such header. `name` as the server writes it.
  [[nodiscard]] std::string_view Header(std::string_view name) const;
};

// All throw std::runtime_error when the server hangs up or speaks otherwise.
class BareHttp {
 public:
  explicit BareHttp(std::uint16_t port);
  ~BareHttp();
  BareHttp(const BareHttp&) = delete;
  BareHttp& operator=(const BareHttp&) = delete;

  [[nodiscard]] int socket() const noexcept { return socket_; }

  // `request` fits the socket's buffer, so this does not block. The answer before is taken whole.
  void Send(std::string_view request);
  // Takes what has come; nothing while the answer is not there whole. Does not block.
  [[nodiscard]] std::optional<BareAnswer> Receive();

 private:
  int socket_;
  std::string buffer_;
};

}  // namespace fanfold::bench
