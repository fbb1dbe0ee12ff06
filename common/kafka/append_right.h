// Inside common/kafka only: this header shows librdkafka's types.
#pragma once

#include <atomic>
#include <cstdint>
#include <librdkafka/rdkafka.h>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"

namespace fanfold::kafka {

// Whether the brokers let this user append to a topic, by what they have refused. librdkafka 2.0.2
// cannot ask which rights a user has (rd_kafka_DescribeTopics came with 2.3), and of all that it
// can send only a record is judged by Write on a topic. It is told:
// - A user who may write no topic at all gets no producer id: CLUSTER_AUTHORIZATION_FAILED, fatal,
//   of a producer that has sent nothing. Its records come back as purged, without a reason.
// - A user who may write others is refused with each record: TOPIC_AUTHORIZATION_FAILED. With Write
//   goes Describe, unless another right gives it: then the topic's metadata say the same.
// Thread-safe, but for LookAgain.
class AppendRight {
 public:
  // A refusal holds for so long after the last one: then only an append can tell whether it still
  // does.
  static constexpr std::int64_t kRefusedMs = 10'000;
  static constexpr std::int64_t kLooksInThat = 10;

  // `clock` outlives it.
  AppendRight(std::string topic, const Clock& clock, std::int64_t refused_ms = kRefusedMs)
      : topic_(std::move(topic)), clock_(clock), refused_ms_(refused_ms) {}

  // Hears of the outcome of a record, or of the producer.
  void Heard(rd_kafka_resp_err_t said) noexcept;
  // The producer has given up.
  void HeardFatal(rd_kafka_t* client) noexcept;
  // After a refusal: looks whether the topic is still kept from the user. Does nothing before it is
  // time; blocks for at most kLookMs.
  void LookAgain(rd_kafka_t* client);

  // Ok, as far as is known; else kRefused with the right that is missing.
  [[nodiscard]] Status Now() const;
  // Why a record was not appended: the missing right where `failure` comes of it.
  [[nodiscard]] Error Reason(Error failure) const;

 private:
  static constexpr std::int64_t kLookMs = 1'000;
  static constexpr std::int64_t kNever = INT64_MIN;

  const std::string topic_;
  const Clock& clock_;
  const std::int64_t refused_ms_;
  std::atomic<std::int64_t> until_ms_ = kNever;  // by the steady clock
  std::atomic<rd_kafka_resp_err_t> said_ = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::int64_t look_ms_ = kNever;  // the next one
};

}  // namespace fanfold::kafka
