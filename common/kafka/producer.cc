#include "common/kafka/producer.h"

#include <utility>

namespace fanfold::kafka {
namespace {

// How long a new producer waits to learn where its topic is.
constexpr std::int64_t kWarmUpMs = 1000;
constexpr const char* kQueuedKbytesMax = "262144";
constexpr const char* kBatchRecordsMax = "10000";
constexpr const char* kRequestTimeoutMs = "10000";
constexpr const char* kRetryBackoffMs = "50";

// Nothing is compressed: records are small, and the tables are slower than the wire.
Settings ProducerSettings(const AppenderOptions& options) {
  Settings settings = {
      {"enable.idempotence", "true"},
      {"acks", "all"},
      // Java's; every record names its partition, so this speaks for records that some day do not.
      {"partitioner", "murmur2_random"},
      {"message.timeout.ms", std::to_string(options.delivery_timeout_ms)},
      {"linger.ms", std::to_string(options.linger_ms)},
      {"message.max.bytes", std::to_string(options.record_bytes_max)},
      {"queue.buffering.max.messages", std::to_string(LogAppender::kRecordsInFlightMax)},
      {"queue.buffering.max.kbytes", kQueuedKbytesMax},
      {"batch.num.messages", kBatchRecordsMax},
      {"request.timeout.ms", kRequestTimeoutMs},
      {"retry.backoff.ms", kRetryBackoffMs},
      {"compression.type", "none"},
  };
  // Makes an error that would leave a gap a fatal one.
  if (options.stop_on_failure) settings.emplace_back("enable.gapless.guarantee", "true");
  return settings;
}

}  // namespace

Result<Producer> NewProducer(const KafkaOptions& options, const std::string& topic,
                             const AppenderOptions& appender, const ProducerCalls& calls) {
  Result<ConfPtr> conf = NewConf(options, ProducerSettings(appender));
  if (!conf) return Forward(conf);
  rd_kafka_conf_set_opaque(conf->get(), calls.of);
  rd_kafka_conf_set_dr_msg_cb(conf->get(), calls.on_delivery);
  rd_kafka_conf_set_error_cb(conf->get(), calls.on_error);
  Result<ClientPtr> client = NewClient(options, RD_KAFKA_PRODUCER, std::move(*conf));
  if (!client) return Forward(client);
  Result<TopicPtr> handle = NewTopic(client->get(), topic);
  if (!handle) return Forward(handle);
  // Asked now, it is known when the first record comes, which would wait for librdkafka's next
  // look otherwise. Whether it is answered shows then.
  (void)DescribeTopic(client->get(), topic, kWarmUpMs);
  return Producer{std::move(*client), std::move(*handle)};
}

}  // namespace fanfold::kafka
