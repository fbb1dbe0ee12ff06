#include "common/http/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <netinet/tcp.h>
#include <poll.h>
#include <utility>

#include "common/base/clock.h"
#include "common/base/logging.h"

namespace fanfold::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

// After the last answer the client's remaining bytes are read and dropped for a while: closing with
// bytes unread resets the connection, and the client may lose the answer.
constexpr std::int64_t kLingerMs = 1'000;
// How long a client may not read while all that wait to be sent are short of room.
constexpr std::int64_t kUnreadWhileShortMs = 1'000;
// How long a connection that drains waits for its first request.
constexpr std::int64_t kFreshMs = 1'000;
// What the system holds of one who does not read, beyond what is on its way: the rest waits here,
// where it is counted.
using UnsentInKernel = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
constexpr int kUnsentInKernelMax = 128 << 10;
constexpr std::size_t kLingerBytesMax = std::size_t{8} << 20;

}  // namespace

Connection::Connection(tcp::socket socket, const ConnectionContext& context)
    : socket_(std::move(socket)),
      context_(context),
      parser_(context.options.header_bytes_max, &context.large_requests),
      changed_(socket_.get_executor(), asio::steady_timer::time_point::max()),
      active_ms_(NowMs()),
      accepted_ms_(active_ms_) {
  if (context.options.identity) {
    tls_ = std::make_unique<TlsSession>(context.options.identity());
  }
}

std::shared_ptr<Connection> Connection::Make(tcp::socket socket, const PeerAddress& peer,
                                             const ConnectionContext& context) {
  std::shared_ptr<Connection> connection(new Connection(std::move(socket), context));
  AsioError ignored;
  connection->socket_.non_blocking(true, ignored);
  connection->socket_.set_option(tcp::no_delay(true), ignored);
  connection->socket_.set_option(UnsentInKernel(kUnsentInKernelMax), ignored);
  // The queue may outlive the executor in a late reply's hands: it calls this under its lock and
  // never after Close.
  connection->caller_ =
      std::make_shared<Caller>(peer, connection->PostHere(), context.options.proxies);
  connection->queue_ = std::make_shared<ReplyQueue>(
      [weak = std::weak_ptr(connection), executor = connection->socket_.get_executor()] {
        asio::post(executor, [weak] {
          if (const auto self = weak.lock()) self->Flush();
        });
      },
      context.options.answers_bytes_max, context.unsent);
  return connection;
}

// g++ 12 lays out the frame wrongly when a condition holds a co_await: none does.
asio::awaitable<void> Connection::Serve() {
  while (phase_ == Phase::kOpen) {
    if (IsWaitingForRoom()) {
      co_await Changed();
      continue;
    }
    if (stalled_) {
      co_await OthersTurn();
    } else {
      co_await ReadFirst();
    }
    Advance();
  }
  while (HasAnswersLeft()) co_await Changed();
  if (phase_ == Phase::kClosing && !peer_done_) co_await Linger();
  Close();
}

// A wait for the socket to become readable, in place of a read, would tell the kernel anew each
// time what to wait for (Boost 1.74).
asio::awaitable<void> Connection::ReadFirst() {
  reading_ = true;
  first_size_ = co_await socket_.async_read_some(
      asio::buffer(first_), asio::redirect_error(asio::use_awaitable, read_error_));
  reading_ = false;
}

asio::awaitable<void> Connection::Changed() {
  AsioError ignored;
  co_await changed_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

asio::awaitable<void> Connection::OthersTurn() {
  co_await asio::post(socket_.get_executor(), asio::use_awaitable);
}

void Connection::WakeServe() {
  AsioError ignored;
  changed_.cancel();
  if (reading_) socket_.cancel(ignored);
}

Caller::Post Connection::PostHere() {
  return [weak = weak_from_this(), executor = socket_.get_executor()](std::function<void()> run) {
    if (weak.expired()) return;
    asio::post(executor, [weak, run = std::move(run)] {
      const auto self = weak.lock();
      if (!self || self->phase_ > Phase::kClosing) return;
      run();
      self->Flush();
    });
  };
}

std::int64_t Connection::NowMs() { return TickClock().SteadyMs(); }

void Connection::ClearKeeping(std::string& buffer) {
  buffer.clear();
  if (buffer.capacity() > kBufferBytesKept) buffer.shrink_to_fit();
}

void Connection::StopReading() {
  if (phase_ == Phase::kOpen) phase_ = Phase::kClosing;
  stalled_ = false;
  request_began_ms_ = 0;
}

bool Connection::HasRoom() const {
  if (write_blocked_ || caller_->is_held() || IsPaused()) return false;
  switch (body_) {
    case Body::kNone:
      return queue_->HasRoom(context_.options.pipelined_max);
    case Body::kOffered:
      return queue_->IsAnswered(last_);
    case Body::kTaken:
    case Body::kSkipped:
      return true;
  }
  return true;
}

bool Connection::IsPaused() const {
  const std::int64_t until_ms = caller_->paused_until_ms();
  return until_ms != 0 && NowMs() < until_ms;
}

bool Connection::IsWaitingForRoom() const { return stalled_ && !HasRoom(); }

bool Connection::HasAnswersLeft() const {
  return phase_ == Phase::kClosing && (queue_->Depth() > 0 || !IsWritten());
}

bool Connection::HasHungUp() {
  pollfd socket{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&socket, 1, 0) > 0;
}

bool Connection::IsIdle() const {
  return unread_.empty() && !parser_.IsWithinRequest() && IsWritten() && queue_->Depth() == 0;
}

bool Connection::IsWithinRecord() const {
  return tls_ && tls_->is_established() && tls_->IsWithinRecord();
}

asio::awaitable<void> Connection::Linger() {
  AsioError error;
  phase_ = Phase::kLingering;
  linger_began_ms_ = NowMs();
  SayTlsEnd();
  socket_.shutdown(tcp::socket::shutdown_send, error);
  std::size_t dropped = 0;
  const auto scratch = asio::buffer(context_.scratch.data(), context_.scratch.size());
  read_error_.clear();
  while (phase_ == Phase::kLingering && !read_error_ && dropped <= kLingerBytesMax) {
    co_await ReadFirst();
    dropped += first_size_;
    if (!read_error_ && first_size_ == first_.size()) dropped += socket_.read_some(scratch, error);
  }
}

void Connection::CheckDeadlines(std::int64_t now_ms) {
  const ServerOptions& options = context_.options;
  const std::int64_t unread_max_ms = context_.unsent.IsShort()
                                         ? std::min(kUnreadWhileShortMs, options.write_timeout_ms)
                                         : options.write_timeout_ms;
  if (write_blocked_ && now_ms - write_began_ms_ > unread_max_ms) return Close();
  if (phase_ == Phase::kLingering && now_ms - linger_began_ms_ > kLingerMs) return Close();
  if (phase_ <= Phase::kClosing && !reading_ && !peer_done_ && HasHungUp()) caller_->Leave();
  if (phase_ != Phase::kOpen) return;
  if (stalled_ && HasRoom()) WakeServe();
  if (tls_ && !tls_->is_established() && now_ms - accepted_ms_ > options.request_timeout_ms) {
    return Close();
  }
  if (draining_ && IsDone(now_ms)) return Close();
  // Records that begin again and again, and bring no request, keep nobody.
  if (now_ms - active_ms_ > options.idle_timeout_ms && IsIdle()) return Close();
  if (request_began_ms_ == 0 || now_ms - request_began_ms_ <= options.request_timeout_ms) return;
  Refuse(problems::kRequestTimeout, "the request did not arrive in time");
  Flush();
}

void Connection::Drain() {
  draining_ = true;
  AsioError error;
  const bool nothing_waits = socket_.available(error) == 0;
  if (nothing_waits && IsDone(NowMs())) Close();
}

// Nothing of it is under way, and it has not just been opened by one who is about to ask.
bool Connection::IsDone(std::int64_t now_ms) const {
  const bool is_fresh = !has_asked_ && now_ms - accepted_ms_ <= kFreshMs;
  return phase_ == Phase::kOpen && IsIdle() && !IsWithinRecord() && !is_fresh;
}

// Where it does not fit in it is left out: the connection goes anyway.
void Connection::SayTlsEnd() {
  if (!tls_ || !IsWritten() || stream_.IsOpen()) return;
  const std::string end = tls_->Ended();
  AsioError ignored;
  if (!end.empty()) socket_.write_some(asio::buffer(end), ignored);
}

void Connection::Close() {
  if (phase_ == Phase::kClosed) return;
  SayTlsEnd();
  phase_ = Phase::kClosed;
  queue_->Close();
  unsent_.clear();
  caller_->Leave();
  AsioError ignored;
  // Without chunks a closed connection means the body's end: one that is cut is reset.
  if (stream_.IsOpen()) socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  stream_.Drop();
  stream_unsent_ = {};
  taken_ = nullptr;
  socket_.close(ignored);
  changed_.cancel();
}

}  // namespace fanfold::http
