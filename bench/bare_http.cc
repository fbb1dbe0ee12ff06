#include "bench/bare_http.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/loopback.h"

namespace fanfold::bench {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 14;
constexpr std::string_view kHeadEnd = "\r\n\r\n";
constexpr std::size_t kStatusAt = std::string_view("HTTP/1.1 ").size();
constexpr std::size_t kStatusDigits = 3;

template <class Number>
Number NumberIn(std::string_view text) {
  Number number{};
  const auto [_, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) throw std::runtime_error(fmt::format("no number: {}", text));
  return number;
}

}  // namespace

std::string_view BareAnswer::Header(std::string_view name) const {
  const std::string line = fmt::format("\r\n{}: ", name);
  const std::size_t found = head.find(line);
  if (found == std::string_view::npos) return {};
  const std::string_view rest = head.substr(found + line.size());
  return rest.substr(0, rest.find("\r\n"));
}

BareHttp::BareHttp(std::uint16_t port) : socket_(ConnectLoopback(port)) {}
BareHttp::~BareHttp() { ::close(socket_); }

void BareHttp::Send(std::string_view request) {
  buffer_.clear();
  if (::send(socket_, request.data(), request.size(), MSG_NOSIGNAL) != std::ssize(request)) {
    throw std::runtime_error(fmt::format("cannot send: errno {}", errno));
  }
}

std::optional<BareAnswer> BareHttp::Receive() {
  std::array<char, kReadBytes> bytes;
  const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0 && errno == EAGAIN) return std::nullopt;
  if (got <= 0) throw std::runtime_error(fmt::format("the server hung up: errno {}", errno));
  buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  const std::string_view all = buffer_;
  const std::size_t head_bytes = all.find(kHeadEnd);
  if (head_bytes == std::string_view::npos) return std::nullopt;
  BareAnswer answer{NumberIn<int>(all.substr(kStatusAt, kStatusDigits)), all.substr(0, head_bytes),
                    all.substr(head_bytes + kHeadEnd.size())};
  if (answer.body.size() < NumberIn<std::size_t>(answer.Header("Content-Length"))) {
    return std::nullopt;
  }
  return answer;
}

}  // namespace fanfold::bench
