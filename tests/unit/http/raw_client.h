// A client that sends exactly the bytes it is given.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <future>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include "common/http/http_server.h"

namespace fanfold::http {

// Shorter than a test's patience, longer than a busy machine's hiccups.
inline constexpr std::int64_t kShortMs = 100;

struct Answer {
  int status = 0;
  std::string head;
  std::string body;

  [[nodiscard]] bool Has(std::string_view text) const {
    return head.find(text) != std::string::npos;
  }
};

class RawClient {
 public:
  static constexpr int kReceiveTimeoutSeconds = 20;

  // `receive_bytes`: the size of the socket's receive buffer, 0 for the system's.
  explicit RawClient(std::uint16_t port, int receive_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval timeout{kReceiveTimeoutSeconds, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    if (receive_bytes > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  // False when the server has closed.
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // As much as the sockets take without waiting; returns how much that was.
  std::size_t SendWithoutWaiting(std::string_view bytes) const {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
  }

  void FinishSending() const { ::shutdown(socket_, SHUT_WR); }

  // What comes next, as it comes; empty when the connection ends first.
  std::string ReadSome() {
    if (received_.empty()) ReceiveMore();
    return std::exchange(received_, {});
  }

  // The next answer; nothing when the connection ends first.
  std::optional<Answer> Read(bool without_body = false) {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
      if (!ReceiveMore()) return std::nullopt;
    }
    Answer answer;
    answer.head = received_.substr(0, end);
    received_.erase(0, end + 4);
    std::from_chars(answer.head.data() + 9, answer.head.data() + 12, answer.status);
    const std::size_t size = without_body ? 0 : ContentLength(answer.head);
    while (received_.size() < size) {
      if (!ReceiveMore()) return std::nullopt;
    }
    answer.body = received_.substr(0, size);
    received_.erase(0, size);
    return answer;
  }

  std::optional<Answer> Ask(std::string_view bytes) {
    Send(bytes);
    return Read();
  }

  // The next chunk of a body, empty for the last; nothing when the connection ends first.
  std::optional<std::string> ReadChunk() {
    std::size_t end = 0;
    while ((end = received_.find("\r\n")) == std::string::npos) {
      if (!ReceiveMore()) return std::nullopt;
    }
    std::size_t size = 0;
    std::from_chars(received_.data(), received_.data() + end, size, 16);
    while (received_.size() < end + 2 + size + 2) {
      if (!ReceiveMore()) return std::nullopt;
    }
    std::string chunk = received_.substr(end + 2, size);
    received_.erase(0, end + 2 + size + 2);
    return chunk;
  }

  // All that comes until the server closes or resets.
  std::string ReadToEnd() {
    while (ReceiveMore()) {
    }
    return std::exchange(received_, {});
  }

  // True when the server closes (or resets) without sending more.
  bool IsAtEnd() { return received_.empty() && !ReceiveMore() && ended_; }
  [[nodiscard]] bool WasReset() const { return reset_; }

 private:
  static std::size_t ContentLength(std::string_view head) {
    constexpr std::string_view kName = "Content-Length: ";
    std::size_t size = 0;
    const std::size_t at = head.find(kName);
    if (at != std::string_view::npos) {
      std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), size);
    }
    return size;
  }

  bool ReceiveMore() {
    char buffer[16 * 1024];
    const ssize_t size = ::recv(socket_, buffer, sizeof(buffer), 0);
    reset_ = size < 0 && errno == ECONNRESET;
    ended_ = size == 0 || reset_;
    if (size <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(size));
    return true;
  }

  int socket_;
  bool connected_ = false;
  bool ended_ = false;
  bool reset_ = false;
  std::string received_;
};

inline std::string Get(std::string_view target, std::string_view headers = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: test\r\n" + std::string(headers) +
         "\r\n";
}

inline Response Text(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

// Answers with the method, the target and the body.
inline void Echo(const Request& request, const Reply& reply) {
  reply(Text(std::string(ToString(request.method)) + " " + std::string(request.path) + "?" +
             std::string(request.query) + " " + std::string(request.body)));
}

inline constexpr std::size_t kBodiesMax = std::size_t{1} << 20;

// The handler is called with whole bodies.
inline std::unique_ptr<HttpServer> Serve(Handler handler, const ServerOptions& options = {},
                                         std::size_t body_bytes_max = kBodiesMax) {
  auto server = HttpServer::Start(
      options, [handler = std::move(handler), body_bytes_max](const Request& request, Reply reply) {
        WithBody(request, body_bytes_max, std::move(reply), handler);
      });
  return server ? std::move(*server) : nullptr;
}

}  // namespace fanfold::http
