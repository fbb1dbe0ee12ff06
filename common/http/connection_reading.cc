// The half of Connection that reads.
#include <boost/asio/buffer.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/http/connection.h"
#include "common/http/kept_request.h"

namespace fanfold::http {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

// So that a client that sends without end leaves the others their turn: eight that send large
// bodies take a millisecond.
constexpr int kReadsInARow = 2;
// Of a body that nobody wants: a larger one ends the connection.
constexpr std::uint64_t kSkippedBytesMax = std::uint64_t{64} << 10;
constexpr std::string_view kCutShort = "the request ended before it was complete";

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
    Refuse(problems::kInvalidArgument, kCutShort);
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
  // A client that is slowed down has no more kept: its connection ends with the answers it has.
  if (stalled_ && IsPaused() && unread_.size() > kBufferBytesKept) {
    StopReading();
    unread_.clear();
  }
  if (unread_.empty()) ClearKeeping(unread_);
  // A body that is taken is the client's to send, however long others' answers are unread.
  const bool waits_for_us = stalled_ && body_ != Body::kTaken && body_ != Body::kSkipped;
  if (waits_for_us || (unread_.empty() && !parser_.IsWithinRequest() && !IsWithinRecord())) {
    request_began_ms_ = 0;
  } else if (request_began_ms_ == 0) {
    request_began_ms_ = NowMs();
  }
  Flush();
}

// Returns how many bytes are done with.
std::size_t Connection::DispatchBytes(std::string_view bytes) {
  std::size_t done = 0;
  std::optional<steady_clock::time_point> turn_ends;  // of the requests behind the first
  while (done < bytes.size() && phase_ == Phase::kOpen) {
    LeaveBody();
    if (phase_ != Phase::kOpen) break;
    const bool is_over = turn_ends && steady_clock::now() >= *turn_ends;
    if (!HasRoom() || is_over) {
      stalled_ = true;
      return done;
    }
    if (done > 0 && !turn_ends) turn_ends = steady_clock::now() + context_.options.turn_max;
    const RequestParser::Progress progress = parser_.Put(bytes.substr(done));
    done += progress.consumed;
    switch (progress.state) {
      case RequestParser::State::kNeedMore:
        return done;
      case RequestParser::State::kHead:
        HandOver(this);
        break;
      case RequestParser::State::kComplete:
        request_began_ms_ = 0;
        body_ == Body::kNone ? HandOver(nullptr) : HandOverBody();
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

void Connection::HandOver(BodyIntake* intake) {
  has_asked_ = true;
  const ParsedRequest& request = parser_.request();
  const bool ends = EndsWithThis(request);
  const bool ends_without_body = intake != nullptr && !MaySkipBody();
  last_ = queue_->Push(
      {request.method == Method::kHead, request.is_http_1_0, !ends && !ends_without_body});
  if (intake != nullptr) {
    body_ = Body::kOffered;
  } else if (ends) {
    StopReading();
  }
  const Reply reply([queue = queue_, ticket = last_](Response response) {
    queue->Answer(ticket, std::move(response));
  });
  Request borrowed = request.Borrowed();
  borrowed.caller = caller_;
  borrowed.intake = intake;
  CallOrFail(context_.handler, borrowed, reply);
  active_ms_ = NowMs();
}

bool Connection::EndsWithThis(const ParsedRequest& request) const {
  return !request.keep_alive || context_.retiring.load(std::memory_order_relaxed);
}

std::optional<std::uint64_t> Connection::bytes() const { return parser_.body_bytes(); }

// Whoever waits to be asked for it may never send it; of chunks nobody knows how many come.
bool Connection::MaySkipBody() const {
  const auto declared = parser_.body_bytes();
  return declared && *declared <= kSkippedBytesMax && !parser_.is_continue_wanted();
}

void Connection::Take(std::size_t bytes_max, std::uint64_t owner, Taken taken) {
  if (phase_ != Phase::kOpen || body_ != Body::kOffered) {
    return taken(std::unexpected(Problem(problems::kInvalidArgument, kCutShort)));
  }
  parser_.TakeBody(bytes_max, owner);
  taken_ = std::move(taken);
  body_ = Body::kTaken;
}

// The handler has answered without it.
void Connection::LeaveBody() {
  if (phase_ != Phase::kOpen || body_ != Body::kOffered || !queue_->IsAnswered(last_)) return;
  if (!MaySkipBody() || EndsWithThis(parser_.request())) return StopReading();
  parser_.SkipBody();
  body_ = Body::kSkipped;
}

void Connection::HandOverBody() {
  if (std::exchange(body_, Body::kNone) == Body::kSkipped) return;
  const bool ends = EndsWithThis(parser_.request());
  queue_->SetKeepAlive(last_, !ends);
  if (ends) StopReading();
  Request whole = parser_.Whole();
  whole.caller = caller_;
  try {
    std::exchange(taken_, nullptr)(std::move(whole));
  } catch (const std::exception& error) {
    LogError("handler threw", {{"target", parser_.request().target}, {"why", error.what()}});
  }
  active_ms_ = NowMs();
}

// The last answer of the connection: to the request whose body arrives, else to one that is none.
void Connection::Refuse(const ProblemKind& kind, std::string_view detail) {
  const Body body = std::exchange(body_, Body::kNone);
  StopReading();
  if (body == Body::kSkipped) return;  // it is answered
  if (body == Body::kNone) {
    return queue_->Answer(queue_->Push({.keep_alive = false}), Problem(kind, detail));
  }
  queue_->SetKeepAlive(last_, false);
  if (taken_) std::exchange(taken_, nullptr)(std::unexpected(Problem(kind, detail)));
}

}  // namespace fanfold::http
