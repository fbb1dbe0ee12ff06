#include "common/kafka/client.h"

#include <array>
#include <fmt/format.h>
#include <span>
#include <string_view>

#include "common/base/logging.h"
#include "common/base/secret_file.h"
#include "common/kafka/errors.h"
#include "common/kafka/refusals.h"

namespace fanfold::kafka {
namespace {

constexpr const char* kReconnectFirstMs = "20";
constexpr const char* kReconnectMaxMs = "1000";
constexpr const char* kSocketTimeoutMs = "10000";

constexpr int kSyslogWarning = 4;
constexpr int kSyslogNotice = 5;

// Logs librdkafka's errors as warnings: brokers come and go, and a caller whom it concerns learns
// of it from their call.
void LogFromClient(const rd_kafka_t* /*client*/, int level, const char* facility,
                   const char* text) {
  NoteLine(facility, text);
  // It warns of settings that are experimental; we set them on purpose.
  const bool of_settings = std::string_view(facility) == "CONFWARN";
  const LogLevel ours = of_settings               ? LogLevel::kDebug
                        : level <= kSyslogWarning ? LogLevel::kWarning
                        : level <= kSyslogNotice  ? LogLevel::kInfo
                                                  : LogLevel::kDebug;
  Log(ours, "librdkafka", {{"facility", facility}, {"detail", text}});
}

Status Set(rd_kafka_conf_t* conf, const char* name, const std::string& value) {
  std::array<char, kErrorTextBytesMax> reason{};
  if (rd_kafka_conf_set(conf, name, value.c_str(), reason.data(), reason.size()) !=
      RD_KAFKA_CONF_OK) {
    return Fail(ErrorCode::kInvalidArgument, reason.data());
  }
  return {};
}

Status SetTold(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  constexpr std::string_view kOfFile = "_file";
  if (!name.ends_with(kOfFile)) return Set(conf, name.c_str(), value);
  const Result<std::string> secret = ReadSecret(value);
  if (!secret) {
    return Fail(secret.error().code, fmt::format("{}: {}", name, secret.error().message));
  }
  return Set(conf, name.substr(0, name.size() - kOfFile.size()).c_str(), *secret);
}

}  // namespace

Result<ConfPtr> NewConf(const KafkaOptions& options, const Settings& settings) {
  ConfPtr conf(rd_kafka_conf_new());
  const Settings common = {
      {"bootstrap.servers", options.brokers},
      {"client.id", "fanfold"},
      {"socket.nagle.disable", "true"},
      {"socket.timeout.ms", kSocketTimeoutMs},
      {"reconnect.backoff.ms", kReconnectFirstMs},
      {"reconnect.backoff.max.ms", kReconnectMaxMs},
      {"log.connection.close", "false"},
  };
  for (const Settings* part : {&common, &settings}) {
    for (const auto& [name, value] : *part) {
      if (Status set = Set(conf.get(), name, value); !set) return Forward(set);
    }
  }
  for (const auto& [name, value] : options.client) {
    if (Status set = SetTold(conf.get(), name, value); !set) return Forward(set);
  }
  rd_kafka_conf_set_log_cb(conf.get(), &LogFromClient);
  NoteCertificates(conf.get());
  return conf;
}

Result<rd_kafka_t*> NewHandle(rd_kafka_type_t type, ConfPtr conf) {
  std::array<char, kErrorTextBytesMax> reason{};
  rd_kafka_t* const handle = rd_kafka_new(type, conf.get(), reason.data(), reason.size());
  if (handle == nullptr) return Fail(ErrorCode::kInvalidArgument, reason.data());
  // The handle has taken the configuration over.
  static_cast<void>(conf.release());
  return handle;
}

Result<ClientPtr> NewClient(const KafkaOptions& options, rd_kafka_type_t type, ConfPtr conf) {
  Result<std::uint64_t> round = RoundOf(options);
  if (!round) return Forward(round);
  const Result<rd_kafka_t*> handle = NewHandle(type, std::move(conf));
  if (!handle) return std::unexpected(handle.error());
  // Files that changed meanwhile may have been read before or after.
  Follow(*handle, options, RoundOf(options).value_or(0) == *round ? *round : 0);
  return ClientPtr(*handle);
}

Result<ClientPtr> NewAskingClient(const KafkaOptions& options) {
  Result<ConfPtr> conf = NewConf(options, {{"allow.auto.create.topics", "false"}});
  if (!conf) return Forward(conf);
  return NewClient(options, RD_KAFKA_CONSUMER, std::move(*conf));
}

Result<std::int32_t> AskAnyBroker(rd_kafka_t* client, std::int64_t timeout_ms,
                                  std::string_view what) {
  const rd_kafka_metadata_t* answer = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(client, 0, nullptr, &answer, static_cast<int>(timeout_ms));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return std::unexpected(ErrorOf(error, what));
  return MetadataPtr(answer)->broker_cnt;
}

Result<std::string> ClusterId(rd_kafka_t* client, std::int64_t timeout_ms) {
  const std::unique_ptr<char, void (*)(char*)> id(
      rd_kafka_clusterid(client, static_cast<int>(timeout_ms)),
      [](char* text) { rd_kafka_mem_free(nullptr, text); });
  if (id == nullptr) return Fail(ErrorCode::kUnavailable, "no broker says which cluster it is of");
  return std::string(id.get());
}

Result<TopicPtr> NewTopic(rd_kafka_t* client, const std::string& name) {
  TopicPtr topic(rd_kafka_topic_new(client, name.c_str(), nullptr));
  if (topic == nullptr) return std::unexpected(ErrorOf(rd_kafka_last_error(), name));
  return topic;
}

Result<TopicShape> DescribeTopic(rd_kafka_t* client, const std::string& name,
                                 std::int64_t timeout_ms) {
  Result<TopicPtr> topic = NewTopic(client, name);
  if (!topic) return Forward(topic);
  const rd_kafka_metadata_t* answer = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(client, 0, topic->get(), &answer, static_cast<int>(timeout_ms));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return std::unexpected(ErrorOf(error, name));
  const MetadataPtr metadata(answer);
  if (metadata->topic_cnt != 1) return Fail(ErrorCode::kNotFound, name + ": no such topic");
  const rd_kafka_metadata_topic_t& found = metadata->topics[0];
  if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) return std::unexpected(ErrorOf(found.err, name));
  if (found.partition_cnt == 0) return Fail(ErrorCode::kNotFound, name + ": no such topic");
  TopicShape shape{std::vector(static_cast<std::size_t>(found.partition_cnt), TopicShape::kNobody)};
  for (const rd_kafka_metadata_partition_t& partition :
       std::span(found.partitions, shape.leaders.size())) {
    if (partition.id < 0 || partition.id >= found.partition_cnt) continue;
    shape.leaders[static_cast<std::size_t>(partition.id)] = partition.leader;
  }
  return shape;
}

std::string InSpace(const KafkaOptions& options, const std::string& name) {
  return options.space.empty() ? name : options.space + "-" + name;
}

}  // namespace fanfold::kafka
