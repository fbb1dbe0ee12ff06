// A Redis server under load, as wrk loads the reader: connections with one request each under way,
// one thread, no pipelining but within a page.
// redis_load PORT REQUESTS SECONDS CONNECTIONS: a request a line of REQUESTS, in turn over all
// connections: a command, or `PAGE C V`: the newest fans of C, then of those, whom V follows and
// who follows V, two commands sent at once. Prints {"requests":…,"seconds":…,"ones":…}, ones:
// replies and items of replies that were 1.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "bench/loopback.h"
#include "bench/resp.h"

namespace {

using fanfold::bench::AppendCommand;
using fanfold::bench::ConnectLoopback;
using fanfold::bench::ParseReply;
using fanfold::bench::RedisReply;

constexpr std::size_t kPageRows = 20;
constexpr std::string_view kPageRowsAndOne = "20";  // ZREVRANGE's end is inclusive
constexpr std::size_t kReadBytes = std::size_t{1} << 16;
constexpr int kWaitMs = 1000;

[[noreturn]] void Fail(const std::string& why) { throw std::runtime_error(why); }

struct Request {
  std::string text;    // as it is sent
  std::string viewer;  // of a page; else empty
};

Request ParseRequest(std::string_view line) {
  std::vector<std::string_view> words;
  for (const auto word : line | std::views::split(' ')) words.emplace_back(word);
  Request request;
  if (words.size() == 3 && words[0] == "PAGE") {
    const std::string fans = fmt::format("fans:{}", words[1]);
    AppendCommand(request.text,
                  std::array<std::string_view, 4>{"ZREVRANGE", fans, "0", kPageRowsAndOne});
    request.viewer = words[2];
  } else {
    AppendCommand(request.text, words);
  }
  return request;
}

std::vector<Request> ReadRequests(const char* path) {
  std::ifstream file(path);
  std::vector<Request> requests;
  for (std::string line; std::getline(file, line);) requests.push_back(ParseRequest(line));
  if (requests.empty()) Fail(fmt::format("{}: no requests", path));
  return requests;
}

// What a page needs to know of its rows.
std::string RelationsOf(const std::string& viewer, const std::vector<std::string_view>& rows) {
  const std::size_t count = std::min(rows.size(), kPageRows);
  std::string text;
  for (const std::string_view set : {"following", "fansset"}) {
    const std::string key = fmt::format("{}:{}", set, viewer);
    std::vector<std::string_view> words = {"SMISMEMBER", key};
    words.insert(words.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
    AppendCommand(text, words);
  }
  return text;
}

class Connection {
 public:
  explicit Connection(std::uint16_t port) : socket_(ConnectLoopback(port)) {}
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] int socket() const noexcept { return socket_; }
  [[nodiscard]] std::uint64_t ones() const noexcept { return ones_; }

  void Start(const Request& request) {
    viewer_ = request.viewer;
    Send(request.text, 1);
  }

  // Takes what has come; true when the request is answered whole.
  bool Receive() {
    std::array<char, kReadBytes> bytes;
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got <= 0) Fail(fmt::format("the server hung up: errno {}", errno));
    buffer_.append(bytes.data(), static_cast<std::size_t>(got));
    while (awaited_ > 0) {
      const std::optional<RedisReply> reply = ParseReply(buffer_);
      if (!reply) return false;
      Take(*reply);
      buffer_.erase(0, reply->bytes);
    }
    return true;
  }

 private:
  void Take(const RedisReply& reply) {
    if (reply.is_error) Fail(fmt::format("refused: {}", buffer_));
    --awaited_;
    if (viewer_.empty()) {
      ones_ += static_cast<std::uint64_t>(std::ranges::count(reply.items, "1"));
    } else if (const std::string viewer = std::exchange(viewer_, {}); !reply.items.empty()) {
      Send(RelationsOf(viewer, reply.items), 2);
    }
  }

  // Fits the socket's buffer, so it does not block.
  void Send(const std::string& text, int replies) {
    if (::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) != std::ssize(text)) {
      Fail(fmt::format("cannot send: errno {}", errno));
    }
    awaited_ += replies;
  }

  int socket_;
  std::string buffer_;
  std::string viewer_;  // until the rows of the viewer's page are here
  int awaited_ = 0;     // replies
  std::uint64_t ones_ = 0;
};

class Load {
 public:
  Load(std::vector<Request> requests, std::uint16_t port, std::size_t connections)
      : requests_(std::move(requests)), epoll_(::epoll_create1(0)) {
    for (std::size_t i = 0; i < connections; ++i) {
      connections_.push_back(std::make_unique<Connection>(port));
      epoll_event event{.events = EPOLLIN, .data = {.ptr = connections_.back().get()}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_.back()->socket(), &event);
    }
  }
  ~Load() { ::close(epoll_); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Requests answered.
  std::uint64_t Run(std::chrono::steady_clock::time_point end) {
    std::uint64_t answered = 0;
    std::vector<epoll_event> events(connections_.size());
    for (const auto& connection : connections_) connection->Start(Next());
    while (std::chrono::steady_clock::now() < end) {
      const int ready =
          ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), kWaitMs);
      for (int i = 0; i < ready; ++i) {
        auto& connection = *static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
        if (!connection.Receive()) continue;
        ++answered;
        connection.Start(Next());
      }
    }
    return answered;
  }

  [[nodiscard]] std::uint64_t ones() const {
    std::uint64_t ones = 0;
    for (const auto& connection : connections_) ones += connection->ones();
    return ones;
  }

 private:
  const Request& Next() { return requests_[next_++ % requests_.size()]; }

  std::vector<Request> requests_;
  std::size_t next_ = 0;
  int epoll_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 5) Fail("PORT REQUESTS SECONDS CONNECTIONS");
    Load load(ReadRequests(argv[2]), static_cast<std::uint16_t>(std::atoi(argv[1])),
              static_cast<std::size_t>(std::atoll(argv[4])));
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t answered = load.Run(start + std::chrono::seconds(std::atoi(argv[3])));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("{{\"requests\":{},\"seconds\":{:.3f},\"ones\":{}}}\n", answered, seconds.count(),
               load.ones());
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "redis_load: {}\n", error.what());
    return 1;
  }
  return 0;
}
