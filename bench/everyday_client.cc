#include "bench/everyday_client.h"

#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace fanfold::bench {
namespace {

constexpr int kAccepted = 202;
constexpr int kOk = 200;
constexpr int kConflict = 409;
constexpr int kUnavailable = 503;
// The longest that a reader waits for a position.
constexpr int kReadTimeoutMs = 5000;

}  // namespace

EverydayClient::EverydayClient(std::uint16_t writer_port, std::uint16_t reader_port)
    : writer_(writer_port), reader_(reader_port) {}

void EverydayClient::Start(const Follow& follow, Clock::time_point due) {
  follow_ = follow;
  due_ = due;
  step_ = Step::kPut;
  Send();
}

EverydayClient::Came EverydayClient::Receive() {
  const std::optional<BareAnswer> answer = (step_ == Step::kPut ? writer_ : reader_).Receive();
  if (!answer) return Came::kNothing;
  status_ = answer->status;
  if (status_ == kConflict || status_ == kUnavailable) return Came::kRefusal;
  return Take(*answer);
}

// The request of the step that it has come to.
void EverydayClient::Send() {
  switch (step_) {
    case Step::kPut:
      return writer_.Send(
          fmt::format("PUT /v1/users/{}/following/{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
                      follow_.user, follow_.other));
    case Step::kFans:
      return reader_.Send(fmt::format("GET /v1/users/{}/fans?limit=1&{}", follow_.other, wait_));
    case Step::kCounts:
      return reader_.Send(fmt::format("GET /v1/users/{}/counts?{}", follow_.user, wait_));
  }
}

EverydayClient::Came EverydayClient::Take(const BareAnswer& answer) {
  switch (step_) {
    case Step::kPut:
      if (answer.status != kAccepted) Fail(answer);
      wait_ = fmt::format("min_position={}&timeout_ms={} HTTP/1.1\r\nHost: localhost\r\n\r\n",
                          answer.Header("Fanfold-Position"), kReadTimeoutMs);
      step_ = Step::kFans;
      Send();
      return Came::kAck;
    case Step::kFans:
      CheckFans(answer);
      step_ = Step::kCounts;
      Send();
      return Came::kFans;
    case Step::kCounts:
      CheckCounts(answer);
  }
  return Came::kCounts;
}

// The follower is the newest fan: nobody is followed again before all others were.
void EverydayClient::CheckFans(const BareAnswer& answer) const {
  const std::string follower = fmt::format("\"user_id\":\"{}\"", follow_.user);
  if (answer.status != kOk || !answer.body.contains(follower)) Fail(answer);
}

void EverydayClient::CheckCounts(const BareAnswer& answer) const {
  static constexpr std::string_view kNone = "\"following\":0";
  if (answer.status != kOk || !answer.body.contains("\"following\":") ||
      answer.body.contains(kNone)) {
    Fail(answer);
  }
}

void EverydayClient::Fail(const BareAnswer& answer) const {
  throw std::runtime_error(fmt::format("{} follows {}, {}: {} {}", follow_.user, follow_.other,
                                       wait_, answer.status, answer.body));
}

}  // namespace fanfold::bench
