// The half of Connection that reads.
#include <boost/asio/buffer.hpp>
#include <exception>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/http/connection.h"

namespace fanfold::http {
namespace {

namespace asio = boost::asio;

// So that a client that sends without end leaves the others their turn.
constexpr int kReadsInARow = 4;

}  // namespace

void Connection::Advance() {
  if (phase_ != Phase::kOpen) return;
  if (stalled_) {
    Dispatch({});
  } else if (!tls_ended_) {
    Receive();
  }
  // Not before all that it has said is taken, as with an end of the socket's.
  if (tls_ended_ && !stalled_ && phase_ == Phase::kOpen) PeerIsDone();
}

void Connection::Receive() {
  std::string_view arrived(first_.data(), first_size_);
  bool more = first_size_ == first_.size();
  for (int reads = 1; !read_error_; ++reads) {
    Dispatch(tls_ ? Unsealed(arrived) : arrived);
    ClearKeeping(unsealed_);
    if (read_error_ || tls_ended_) break;
    if (!more || reads == kReadsInARow || stalled_ || phase_ != Phase::kOpen) return;
    const std::size_t size = socket_.read_some(
        asio::buffer(context_.scratch.data(), context_.scratch.size()), read_error_);
    arrived = {context_.scratch.data(), size};
    more = size == context_.scratch.size();
  }
  if (tls_ended_) return;
  const bool may_go_on =
      read_error_ == asio::error::would_block || read_error_ == asio::error::operation_aborted;
  if (may_go_on) return;
  if (read_error_ != asio::error::eof) return Close();
  PeerIsDone();
}

void Connection::PeerIsDone() {
  peer_done_ = true;
  caller_->Leave();
  if (request_began_ms_ != 0) {
    Refuse(problems::kInvalidArgument, "the request ended before it was complete");
    Flush();
  }
  StopReading();
}

// What ends or breaks TLS is the end of what the client says.
std::string_view Connection::Unsealed(std::string_view arrived) {
  switch (tls_->Receive(arrived, unsealed_)) {
    case TlsSession::State::kOpen:
      break;
    case TlsSession::State::kEnded:
      tls_ended_ = true;
      break;
    case TlsSession::State::kFailed:
      read_error_ = asio::error::connection_aborted;
      break;
  }
  return unsealed_;
}

// Takes the requests of what was left and what has arrived, as many as may be in work and as a turn
// has time for, and sends what they answered at once.
void Connection::Dispatch(std::string_view arrived) {
  queue_->Hold();
  stalled_ = false;
  if (unread_.empty()) {
    unread_.assign(arrived.substr(DispatchBytes(arrived)));
  } else {
    unread_.append(arrived);
    unread_.erase(0, DispatchBytes(unread_));
  }
  // Of one who is slowed down no more is kept meanwhile: his connection ends with what is answered.
  if (stalled_ && IsPaused() && unread_.size() > kBufferBytesKept) {
    StopReading();
    unread_.clear();
  }
  if (unread_.empty()) ClearKeeping(unread_);
  if (stalled_ || (unread_.empty() && !parser_.IsWithinRequest() && !IsWithinRecord())) {
    request_began_ms_ = 0;
  } else if (request_began_ms_ == 0) {
    request_began_ms_ = NowMs();
  }
  Flush();
}

// Returns how many bytes are done with.
std::size_t Connection::DispatchBytes(std::string_view bytes) {
  std::size_t done = 0;
  const std::int64_t turn_ends_ms = NowMs() + context_.options.turn_max_ms;
  while (done < bytes.size() && phase_ == Phase::kOpen) {
    if (!HasRoom() || active_ms_ >= turn_ends_ms) {
      stalled_ = true;
      return done;
    }
    const RequestParser::Progress progress = parser_.Put(bytes.substr(done));
    done += progress.consumed;
    switch (progress.state) {
      case RequestParser::State::kNeedMore:
        return done;
      case RequestParser::State::kComplete:
        request_began_ms_ = 0;
        HandOver();
        parser_.DropBody();
        break;
      case RequestParser::State::kFailed: {
        const RequestParser::Failure failure = parser_.failure();
        Refuse(failure.kind, failure.detail);
        break;
      }
    }
  }
  return phase_ == Phase::kOpen ? done : bytes.size();
}

void Connection::HandOver() {
  has_asked_ = true;
  const ParsedRequest& request = parser_.request();
  const bool keep_alive = request.keep_alive && !context_.retiring.load(std::memory_order_relaxed);
  const ReplyQueue::Ticket ticket =
      queue_->Push({request.method == Method::kHead, request.is_http_1_0, keep_alive});
  if (!keep_alive) StopReading();
  const Reply reply(
      [queue = queue_, ticket](Response response) { queue->Answer(ticket, std::move(response)); });
  try {
    Request borrowed = request.Borrowed();
    borrowed.caller = caller_;
    context_.handler(borrowed, reply);
  } catch (const std::exception& error) {
    LogError("handler threw", {{"target", request.target}, {"why", error.what()}});
    reply(Problem(problems::kInternal, "the handler failed"));
  } catch (...) {
    LogError("handler threw", {{"target", request.target}});
    reply(Problem(problems::kInternal, "the handler failed"));
  }
  active_ms_ = NowMs();
}

// The last answer of the connection.
void Connection::Refuse(const ProblemKind& kind, std::string_view detail) {
  queue_->Answer(queue_->Push({.keep_alive = false}), Problem(kind, detail));
  StopReading();
}

}  // namespace fanfold::http
