#include "common/kafka/topic_facts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "common/kafka/admin.h"
#include "common/kafka/client.h"
#include "common/kafka/errors.h"
#include "common/kafka/first_appends.h"

namespace fanfold {
namespace {

using kafka::AdminOptionsPtr;
using kafka::ClientPtr;
using kafka::ErrorOf;
using kafka::EventPtr;
using kafka::MsUntil;
using Deadline = std::chrono::steady_clock::time_point;

constexpr std::int64_t kBrokerLookMs = 2'000;

struct ConfigResourceDeleter {
  void operator()(rd_kafka_ConfigResource_t* resource) const noexcept {
    rd_kafka_ConfigResource_destroy(resource);
  }
};
using ConfigResourcePtr = std::unique_ptr<rd_kafka_ConfigResource_t, ConfigResourceDeleter>;

void AddPartition(const rd_kafka_metadata_partition_t& partition, TopicFacts& facts) {
  if (partition.leader < 0) ++facts.leaderless;
  if (partition.isr_cnt < partition.replica_cnt) ++facts.under_replicated;
  facts.replicas_min = facts.partitions == 0 ? partition.replica_cnt
                                             : std::min(facts.replicas_min, partition.replica_cnt);
  ++facts.partitions;
}

struct KnownBroker {
  std::int32_t id = 0;
  std::string address;
};
// As the broker says that answered.
struct KnownBrokers {
  std::int32_t answered = 0;  // its id
  std::vector<KnownBroker> all;
};

// Partitions and replicas; which brokers there are.
Result<KnownBrokers> ReadShape(rd_kafka_t* client, Deadline deadline, TopicFacts& facts) {
  Result<kafka::TopicPtr> topic = kafka::NewTopic(client, facts.name);
  if (!topic) return Forward(topic);
  const rd_kafka_metadata_t* answer = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(client, 0, topic->get(), &answer, MsUntil(deadline));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return std::unexpected(ErrorOf(error, facts.name));
  const kafka::MetadataPtr metadata(answer);
  if (metadata->topic_cnt != 1) return Fail(ErrorCode::kNotFound, facts.name + ": no such topic");
  const rd_kafka_metadata_topic_t& found = metadata->topics[0];
  if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::unexpected(ErrorOf(found.err, facts.name));
  }
  for (int i = 0; i < found.partition_cnt; ++i) AddPartition(found.partitions[i], facts);
  KnownBrokers brokers{metadata->orig_broker_id, {}};
  for (int i = 0; i < metadata->broker_cnt; ++i) {
    const rd_kafka_metadata_broker_t& broker = metadata->brokers[i];
    brokers.all.push_back({broker.id, fmt::format("{}:{}", broker.host, broker.port)});
  }
  return brokers;
}

// A client that is told to ask one broker which is not there asks it without end, and without a
// pause (librdkafka 2.0.2): it is looked for first.
bool IsThere(KafkaOptions options, const KnownBroker& broker) {
  options.brokers = broker.address;
  const auto log = NewKafkaEventLog(options);
  return log && (*log)->Ping(kBrokerLookMs);
}

using Settings = std::map<std::string, std::string>;

Result<Settings> SettingsOf(const rd_kafka_ConfigResource_t& resource, const std::string& name) {
  const rd_kafka_resp_err_t error = rd_kafka_ConfigResource_error(&resource);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::unexpected(ErrorOf(error, name + ": settings"));
  }
  Settings settings;
  std::size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(&resource, &count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* value = rd_kafka_ConfigEntry_value(entries[i]);
    if (value != nullptr) settings[rd_kafka_ConfigEntry_name(entries[i])] = value;
  }
  return settings;
}

// Of a topic by its name, or of a broker by its id; asked of that broker, which has to be there.
// Else the controller would be asked, which may be the one that is away.
Result<Settings> ReadSettings(rd_kafka_t* client, Deadline deadline, std::int32_t broker,
                              rd_kafka_ResourceType_t type, const std::string& name) {
  const ConfigResourcePtr asked(rd_kafka_ConfigResource_new(type, name.c_str()));
  const kafka::QueuePtr queue(rd_kafka_queue_new(client));
  const AdminOptionsPtr options(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), MsUntil(deadline), nullptr, 0);
  rd_kafka_AdminOptions_set_broker(options.get(), broker, nullptr, 0);
  rd_kafka_ConfigResource_t* request = asked.get();
  rd_kafka_DescribeConfigs(client, &request, 1, options.get(), queue.get());
  const EventPtr event(rd_kafka_queue_poll(queue.get(), MsUntil(deadline)));
  if (event == nullptr) {
    return Fail(ErrorCode::kUnavailable, name + ": asking for its settings timed out");
  }
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::unexpected(ErrorOf(error, name + ": settings"));
  }
  std::size_t count = 0;
  const rd_kafka_ConfigResource_t** resources = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  if (count != 1) return Fail(ErrorCode::kInternal, name + ": no answer about its settings");
  return SettingsOf(*resources[0], name);
}

}  // namespace

Result<LogFacts> ReadKafkaFacts(const KafkaOptions& options) {
  const Deadline deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(options.bounds.timeout_ms);
  Result<ClientPtr> client = kafka::NewAskingClient(options);
  if (!client) return Forward(client);
  LogFacts facts;
  facts.client = fmt::format("librdkafka {}", rd_kafka_version_str());
  facts.on_brokers = true;
  facts.producer_silence_max_ms = kafka::FirstAppends::kForgottenMs;
  KnownBrokers brokers;
  for (const Topic topic : Topic::All()) {
    TopicFacts& told = facts.topics[topic];
    told.name = KafkaTopicName(options, topic);
    Result<KnownBrokers> known = ReadShape(client->get(), deadline, told);
    if (!known) return Forward(known);
    brokers = std::move(*known);
    Result<Settings> settings =
        ReadSettings(client->get(), deadline, brokers.answered, RD_KAFKA_RESOURCE_TOPIC, told.name);
    if (!settings) return Forward(settings);
    told.settings = std::move(*settings);
  }
  for (const KnownBroker& broker : brokers.all) {
    BrokerFacts& told = facts.brokers.emplace_back(BrokerFacts{broker.id, {}});
    if (!IsThere(options, broker)) continue;
    // Whoever may ask about topics need not be allowed to ask about brokers.
    told.settings = ReadSettings(client->get(), deadline, broker.id, RD_KAFKA_RESOURCE_BROKER,
                                 std::to_string(broker.id))
                        .value_or(Settings());
  }
  return facts;
}

}  // namespace fanfold
