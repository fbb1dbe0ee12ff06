// HTTP/1.1 as a callback. The HTTP library is seen by http_server.cc, connection*, and
// request_parser.cc alone.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/access/principal.h"
#include "common/base/caller.h"
#include "common/base/peers.h"
#include "common/base/result.h"
#include "common/http/body_source.h"
#include "common/http/headers.h"

namespace fanfold::http {

enum class Method : std::uint8_t { kGet, kHead, kPut, kPost, kDelete, kOptions, kOther };
[[nodiscard]] std::string_view ToString(Method method) noexcept;

class BodyIntake;

// Valid during the handler's call only: to answer later, copy what is needed.
struct Request {
  Method method = Method::kGet;
  std::string_view path;   // as sent, still percent-encoded
  std::string_view query;  // after the '?', as sent
  std::string_view body;
  const Headers* headers = nullptr;  // null: none
  PrincipalPtr principal;            // who asks; what stands before the routes sets it
  CallerPtr caller;                  // its connection
  BodyIntake* intake = nullptr;      // of a body that has not been taken; null: `body` is all
  std::shared_ptr<const void> body_kept = nullptr;  // of a large one: `body` is valid as long

  [[nodiscard]] bool has_body() const noexcept { return intake != nullptr || !body.empty(); }
  [[nodiscard]] std::optional<std::string_view> HeaderValue(std::string_view name) const noexcept {
    return headers == nullptr ? std::nullopt : headers->Get(name);
  }
};

using Header = std::pair<std::string, std::string>;

struct Response {
  int status = 200;
  std::string_view content_type = "application/json";  // of a literal
  std::vector<Header> headers;  // beside Content-Type, Connection and what says where the body ends
  std::string body;
  BodySource stream;                  // what follows `body`; without it `body` is all
  std::optional<std::size_t> length;  // of `stream`, where it is known
  bool tells_length = true;           // false of HEAD: what nobody reads was not made
  // A ProblemKind's code, where it tells one; empty of another process's answer that is passed on.
  std::string_view problem{};
  // Never replaced for want of room: who is told 503 instead does again what was done.
  bool tells_of_write = false;
  std::shared_ptr<void> held;  // let go when it is sent, or its client is gone
};

// A request's body, once the head has come. The handler is called then, so that it refuses a caller
// who may not ask, or a body that is too long, before reading it. If it answers without taking the
// body, and much is still to come, the connection ends. On the connection's thread, once.
class BodyIntake {
 public:
  using Taken = std::move_only_function<void(std::expected<Request, Response>)>;

  // As the head says; nothing: it comes in chunks.
  [[nodiscard]] virtual std::optional<std::uint64_t> bytes() const = 0;
  // Calls `taken` there as a handler is called, once the body is whole; else with what is to be
  // answered: it has more than bytes_max, or does not come. Nobody is in that request: whoever
  // was asked who asks says it again.
  // `owner`: by a hash of their name; of what large bodies of all share each has half. 0: nobody.
  virtual void Take(std::size_t bytes_max, std::uint64_t owner, Taken taken) = 0;

 protected:
  ~BodyIntake() = default;
};

// Answers one request, once, from any thread, now or later; a later call does nothing. Dropped
// unanswered it answers 500. Cheap to copy.
class Reply {
 public:
  using Sink = std::function<void(Response)>;
  using Filter = std::move_only_function<void(Response&)>;
  explicit Reply(Sink sink);
  void operator()(Response response) const;

  // From now on the answer passes `filter`, which may change it, before those that were told
  // earlier. Only while no other thread has a copy.
  void Pass(Filter filter) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Called on an IO thread: must not block. A throwing handler answers 500.
using Handler = std::function<void(const Request&, Reply)>;

// As the head says; 0 of one in chunks.
[[nodiscard]] std::uint64_t BodyBytesOf(const Request& request);
// Calls `handler` with the body, now or once it is whole; above bytes_max answers 413 instead.
void WithBody(const Request& request, std::size_t bytes_max, Reply reply, Handler handler);

class TlsIdentity;
// Called for each connection, on its IO thread: must not block.
using IdentityNow = std::function<std::shared_ptr<const TlsIdentity>()>;
// The returned object lives as long as the connection; null closes it. Called as IdentityNow is.
using Admit = std::function<std::shared_ptr<void>(const PeerAddress&)>;

struct ServerOptions {
  std::string bind = "127.0.0.1";
  std::uint16_t port = 0;                                // 0: any free one
  int io_threads = 1;                                    // one io_context each, sharing the port
  std::size_t header_bytes_max = std::size_t{16} << 10;  // above: 431
  // Above, or above what the system allows files for: accepted and closed.
  std::size_t connections_max = 12'000;
  std::size_t pipelined_max = 64;  // requests of one connection in work; more wait unread
  // Bytes of one connection's answers that wait for earlier ones: above it 503.
  std::size_t answers_bytes_max = std::size_t{16} << 20;
  // Bytes of all connections' answers that are not sent yet: above it 503. Where less than a
  // quarter is left, a client that has not read for a second is dropped.
  std::size_t unsent_bytes_max = std::size_t{256} << 20;
  // Bytes of all connections' bodies above 16 KiB that are arriving or in work: above it 503, and
  // the connection ends.
  std::size_t large_requests_bytes_max = std::size_t{128} << 20;
  // Of handlers called in a row, behind the first; then other connections' turn.
  std::chrono::microseconds turn_max{500};
  // From a request's first byte to its last: 408. And how long a TLS handshake may take.
  std::int64_t request_timeout_ms = 10'000;
  std::int64_t idle_timeout_ms = 75'000;   // between requests
  std::int64_t write_timeout_ms = 10'000;  // a client that does not read is dropped
  // How long Stop waits for what is under way: with all else that a process ends, less than the ten
  // seconds for which those who start processes wait.
  std::int64_t drain_timeout_ms = 4'000;
  IdentityNow identity = {};  // empty: without TLS
  Admit admit = {};           // empty: anybody, up to connections_max
  Proxies proxies = {};       // whose X-Forwarded-For counts
  // Hears of each answer of 500 or above that tells a problem, on an IO thread: must not block.
  // Not of an answer that is passed on: its own process has told it. Empty: nobody hears.
  std::function<void(const Response&)> on_server_error = {};
};

// Answers to all requests parsed from one socket read go out in one write, in their order. Answers
// behind a streamed one wait for its end. A streamed answer to an HTTP/1.0 client ends the
// connection: none is behind it.
// Thread-safe. The destructor stops.
class HttpServer {
 public:
  // Listens and serves. Errors: kInvalidArgument (address), kRefused (port taken).
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> Start(const ServerOptions& options,
                                                                 Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept;
  // From now on each answer is its connection's last, and says so: clients that keep connections
  // open go elsewhere before they are closed. Does not block.
  void Retire() noexcept;
  // Takes no new connections, finishes what was taken (bounded by drain_timeout_ms), closes. Drain
  // only begins it, and does not block.
  void Drain();
  void Stop();

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fanfold::http
