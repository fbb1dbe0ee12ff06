#include "common/http/http_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <unordered_set>

#include "common/base/cause_filter.h"
#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/http/connection.h"
#include "common/http/listening.h"
#include "common/http/open_files.h"
#include "common/http/page_access.h"

namespace fanfold::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

constexpr std::size_t kScratchBytes = std::size_t{64} << 10;
// Deadlines are looked at this many times within the shortest of them.
constexpr std::int64_t kTicksPerDeadline = 8;
constexpr std::int64_t kTickMinMs = 5;
constexpr std::int64_t kTickMaxMs = 250;
// How long not to accept when the process is out of descriptors or memory.
constexpr std::chrono::milliseconds kAcceptPause{50};

std::chrono::milliseconds TickOf(const ServerOptions& options) {
  const std::int64_t shortest = std::min({options.request_timeout_ms, options.idle_timeout_ms,
                                          options.write_timeout_ms, options.drain_timeout_ms});
  return std::chrono::milliseconds(
      std::clamp(shortest / kTicksPerDeadline, kTickMinMs, kTickMaxMs));
}

// One thread, its io_context, its listening socket and its connections. Everything but the
// constructor, Start, Stop and Join runs on that thread.
class Worker {
 public:
  Worker(const ServerOptions& options, const Handler& handler, ByteBudget& unsent,
         ByteBudget& large_requests, const OpenFiles& files, std::atomic<std::size_t>& connections,
         const std::atomic<bool>& retiring)
      : options_(options),
        files_(files),
        connections_total_(connections),
        context_{options, handler, unsent, large_requests, retiring, scratch_},
        acceptor_(io_),
        accept_pause_(io_),
        ticker_(io_) {}

  // `shared`: several workers listen on the endpoint.
  [[nodiscard]] AsioError Listen(const tcp::endpoint& endpoint, bool shared) {
    AsioError error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error && shared) acceptor_.set_option(ReusePort(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(tcp::acceptor::max_listen_connections, error);
    return error;
  }

  [[nodiscard]] tcp::endpoint endpoint() const { return acceptor_.local_endpoint(); }

  void Start() {
    Spawn(Accept());
    Spawn(Tick());
    thread_ = std::jthread([this] { Run(); });
  }

  void Stop() {
    asio::post(io_, [this] { Drain(); });
  }

  void Join() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Spawn(asio::awaitable<void> task) {
    asio::co_spawn(io_, std::move(task), [](const std::exception_ptr& failed) {
      if (failed) LogError("an IO task ended with an exception");
    });
  }

  void Run() {
    for (;;) {
      try {
        io_.run();
        return;
      } catch (const std::exception& error) {
        LogError("an IO thread goes on after an exception", {{"why", error.what()}});
      }
    }
  }

  asio::awaitable<void> Accept() {
    while (!drain_began_ms_) {
      AsioError error;
      tcp::socket socket =
          co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (!error) {
        Admit(std::move(socket));
      } else if (!drain_began_ms_ && error != asio::error::connection_aborted) {
        TellRefused(error.message());
        accept_pause_.expires_after(kAcceptPause);
        co_await accept_pause_.async_wait(asio::redirect_error(asio::use_awaitable, error));
      }
    }
  }

  void TellRefused(const std::string& why) {
    const std::int64_t times = told_.Tell(why, SystemClock().SteadyMs());
    if (times > 0) LogWarning("cannot accept", {{"why", why}, {"times", times}});
  }

  void Admit(tcp::socket socket) {
    if (connections_total_.fetch_add(1) >= files_.connections_max()) {
      connections_total_.fetch_sub(1);
      return;
    }
    const PeerAddress peer = PeerOf(socket);
    std::shared_ptr<void> place = options_.admit ? options_.admit(peer) : nullptr;
    if (options_.admit && !place) {
      connections_total_.fetch_sub(1);
      return;
    }
    const auto connection = Connection::Make(std::move(socket), peer, context_);
    connections_.insert(connection);
    if (drain_began_ms_) Drain(*connection);
    Spawn(Host(connection, std::move(place)));
  }

  asio::awaitable<void> Host(std::shared_ptr<Connection> connection, std::shared_ptr<void> place) {
    try {
      co_await connection->Serve();
    } catch (const std::exception& error) {
      LogError("a connection ended with an exception", {{"why", error.what()}});
    }
    connection->Close();
    connections_.erase(connection);
    place.reset();
    connections_total_.fetch_sub(1);
    if (drain_began_ms_ && connections_.empty()) ticker_.cancel();
  }

  // Serves clients that have connected by now: closing the port would reset them.
  void AcceptWaiting() {
    AsioError error;
    acceptor_.non_blocking(true, error);
    for (int i = 0; !error && i < tcp::acceptor::max_listen_connections; ++i) {
      tcp::socket socket(io_);
      acceptor_.accept(socket, error);
      if (!error) Admit(std::move(socket));
    }
  }

  // Runs until the last connection is gone after Drain.
  asio::awaitable<void> Tick() {
    const auto tick = TickOf(options_);
    ticks_ = true;
    while (!drain_began_ms_ || !connections_.empty()) {
      AsioError ignored;
      ticker_.expires_after(tick);
      co_await ticker_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      const std::int64_t now_ms = SystemClock().SteadyMs();
      const bool out_of_time =
          drain_began_ms_ && now_ms - *drain_began_ms_ >= options_.drain_timeout_ms;
      // A connection that closes leaves the set later, when its coroutine has ended.
      for (const auto& connection : connections_) {
        out_of_time ? connection->Close() : connection->CheckDeadlines(now_ms);
      }
    }
    ticks_ = false;
  }

  // One that was accepted before the acceptor closed, and comes when all others may be gone.
  void Drain(Connection& connection) {
    connection.Drain();
    if (!ticks_) Spawn(Tick());
  }

  void Drain() {
    AcceptWaiting();
    drain_began_ms_ = SystemClock().SteadyMs();
    AsioError ignored;
    acceptor_.close(ignored);
    accept_pause_.cancel();
    for (const auto& connection : connections_) connection->Drain();
    if (connections_.empty()) ticker_.cancel();
  }

  const ServerOptions& options_;
  const OpenFiles& files_;
  CauseFilter told_;
  std::atomic<std::size_t>& connections_total_;
  std::array<char, kScratchBytes> scratch_;
  const ConnectionContext context_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer accept_pause_;
  asio::steady_timer ticker_;
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::optional<std::int64_t> drain_began_ms_;
  bool ticks_ = false;
  std::jthread thread_;
};

}  // namespace

struct HttpServer::Impl {
  Impl(const ServerOptions& server_options, Handler server_handler)
      : options(server_options),
        handler(std::move(server_handler)),
        files(server_options.connections_max),
        unsent(server_options.unsent_bytes_max),
        large_requests(server_options.large_requests_bytes_max) {}

  [[nodiscard]] AsioError Listen(tcp::endpoint endpoint) {
    const int threads = std::max(options.io_threads, 1);
    if (threads > 1 && endpoint.port() != 0) {
      if (const AsioError error = TryExclusively(endpoint)) return error;
    }
    for (int i = 0; i < threads; ++i) {
      workers.push_back(std::make_unique<Worker>(options, handler, unsent, large_requests, files,
                                                 connections, retiring));
      if (const AsioError error = workers.back()->Listen(endpoint, threads > 1)) return error;
      endpoint = workers.back()->endpoint();
    }
    port = endpoint.port();
    return {};
  }

  const ServerOptions options;
  const Handler handler;
  const OpenFiles files;
  ByteBudget unsent;
  ByteBudget large_requests;
  std::uint16_t port = 0;
  std::atomic<std::size_t> connections = 0;
  std::atomic<bool> retiring = false;
  std::vector<std::unique_ptr<Worker>> workers;
  std::once_flag draining;
  std::once_flag stopped;
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { Stop(); }

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const ServerOptions& options,
                                                      Handler handler) {
  AsioError error;
  const auto address = asio::ip::make_address(options.bind, error);
  if (error) return Fail(ErrorCode::kInvalidArgument, "not an IP address: " + options.bind);
  auto impl = std::make_unique<Impl>(options, std::move(handler));
  error = impl->Listen({address, options.port});
  if (error) {
    return Fail(ErrorCode::kRefused, "cannot listen on " + HostOf(options.bind) + ":" +
                                         std::to_string(options.port) + ": " + error.message());
  }
  for (const auto& worker : impl->workers) worker->Start();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

std::uint16_t HttpServer::port() const noexcept { return impl_->port; }

void HttpServer::Retire() noexcept { impl_->retiring.store(true); }

void HttpServer::Drain() {
  std::call_once(impl_->draining, [this] {
    for (const auto& worker : impl_->workers) worker->Stop();
  });
}

void HttpServer::Stop() {
  Drain();
  std::call_once(impl_->stopped, [this] {
    for (const auto& worker : impl_->workers) worker->Join();
  });
}

}  // namespace fanfold::http
