// The half of Connection that sends.
#include <boost/asio/buffer.hpp>
#include <string_view>
#include <utility>

#include "common/http/connection.h"
#include "common/http/response_writer.h"

namespace fanfold::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using AsioError = boost::system::error_code;

constexpr int kServerErrors = 500;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

void Connection::Flush() {
  LeaveBody();
  if (phase_ > Phase::kClosing || write_blocked_) return;
  do {
    if (IsWritten()) FormatReady();
  } while (!IsWritten() && WriteSome());
  if (draining_ && IsDone(NowMs())) StopReading();
  if (phase_ != Phase::kOpen || stalled_) WakeServe();
}

void Connection::FormatReady() {
  ClearKeeping(out_);
  unsent_.clear();
  written_ = 0;
  if (stream_.IsOpen()) {
    FormatPart();
  } else {
    FormatAnswers();
  }
  if (tls_) out_ = tls_->Sealed(out_);
}

void Connection::FormatAnswers() {
  const std::size_t left = queue_->Take(ready_);
  if (!ready_.empty()) active_ms_ = NowMs();
  if (draining_ && left == 0 && !ready_.empty() && unread_.empty() && !parser_.IsWithinRequest()) {
    ready_.back().traits.keep_alive = false;
    StopReading();
  }
  for (Answered& answer : ready_) {
    const bool failed = answer.response.status >= kServerErrors && !answer.response.problem.empty();
    if (failed && context_.options.on_server_error) {
      context_.options.on_server_error(answer.response);
    }
    AppendResponse(answer, out_);
    unsent_.push_back({std::move(answer.room), std::move(answer.response.held)});
  }
  if (!ready_.empty() && IsStreamed(ready_.back())) {
    stream_unsent_ = std::exchange(unsent_.back(), {});
    stream_.Begin(ready_.back(), queue_);
    if (stream_.EndsWithConnection()) StopReading();
  }
  ready_.clear();
  if (left == 1 && body_ == Body::kTaken && parser_.TakeContinueWanted()) out_.append(kContinue);
}

void Connection::FormatPart() {
  switch (stream_.Append(out_)) {
    case BodyStream::Step::kOwed:
      return;
    case BodyStream::Step::kPart:
      active_ms_ = NowMs();
      if (!stream_.has_length()) {
        unsent_.push_back({context_.unsent.TakeAnyway(out_.size()), nullptr});
      }
      return;
    case BodyStream::Step::kEnded:
      active_ms_ = NowMs();
      unsent_.push_back(std::exchange(stream_unsent_, {}));
      if (stream_.EndsWithConnection()) queue_->Close();  // nothing may follow
      return;
    case BodyStream::Step::kFailed:
      return Close();
  }
}

// False when the client has to read first, or is gone.
bool Connection::WriteSome() {
  AsioError error;
  written_ +=
      socket_.write_some(asio::buffer(out_.data() + written_, out_.size() - written_), error);
  if (error == asio::error::would_block) {
    WaitWritable();
    return false;
  }
  if (error) Close();
  return !error;
}

void Connection::WaitWritable() {
  write_blocked_ = true;
  write_began_ms_ = NowMs();
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](const AsioError&) {
    self->write_blocked_ = false;
    self->active_ms_ = NowMs();
    self->Flush();
  });
}

}  // namespace fanfold::http
