#include "common/kafka/append_right.h"

#include <array>
#include <fmt/format.h>

#include "common/kafka/client.h"
#include "common/kafka/errors.h"

namespace fanfold::kafka {

void AppendRight::Heard(rd_kafka_resp_err_t said) noexcept {
  if (IsOfRights(said)) {
    said_.store(said);
    until_ms_.store(clock_.SteadyMs() + refused_ms_);
  } else if (said == RD_KAFKA_RESP_ERR_NO_ERROR && until_ms_.load() != kNever) {
    until_ms_.store(kNever);
  }
}

void AppendRight::HeardFatal(rd_kafka_t* client) noexcept {
  std::array<char, kErrorTextBytesMax> reason{};
  const rd_kafka_resp_err_t said = rd_kafka_fatal_error(client, reason.data(), reason.size());
  if (said != RD_KAFKA_RESP_ERR_NO_ERROR) Heard(said);
}

void AppendRight::LookAgain(rd_kafka_t* client) {
  const std::int64_t now_ms = clock_.SteadyMs();
  if (now_ms >= until_ms_.load() || now_ms < look_ms_) return;
  look_ms_ = now_ms + refused_ms_ / kLooksInThat;
  const Result<TopicShape> shape = DescribeTopic(client, topic_, kLookMs);
  if (!shape && shape.error().code == ErrorCode::kRefused) Heard(said_.load());
}

Status AppendRight::Now() const {
  if (clock_.SteadyMs() >= until_ms_.load()) return {};
  return Fail(
      ErrorCode::kRefused,
      fmt::format("{}: the user of this process may not append ({}): it lacks the right Write on "
                  "the topic, which deploy/kafka/acls.sh gives to its role",
                  topic_, rd_kafka_err2str(said_.load())));
}

Error AppendRight::Reason(Error failure) const {
  const bool may_come_of_it =
      failure.code == ErrorCode::kUnavailable || failure.code == ErrorCode::kRefused;
  Status right = may_come_of_it ? Now() : Status();
  return right ? std::move(failure) : std::move(right.error());
}

}  // namespace fanfold::kafka
