#include "common/kafka/group_member.h"

#include <chrono>
#include <memory>

#include "common/base/logging.h"
#include "common/kafka/errors.h"

namespace fanfold::kafka {
namespace {

constexpr std::int64_t kClosePollMs = 50;
// Older ones abort when a member is destroyed that has joined and was never assigned anything
// (confluentinc/librdkafka #4312).
constexpr int kDestroysUnassigned = 0x020300ff;

struct MessageDeleter {
  void operator()(rd_kafka_message_t* message) const noexcept { rd_kafka_message_destroy(message); }
};

void WarnOf(const char* what, const std::string& why) { LogWarning(what, {{"why", why}}); }

void WarnIf(rd_kafka_error_t* error, const char* what) {
  if (error != nullptr) WarnOf(what, ErrorOf(error, "group").message);
}

// No group.instance.id: a static member does not say good-bye, so its partitions would lie idle for
// a whole session timeout after an orderly stop.
Settings MemberSettings(const OwnershipOptions& options) {
  return {
      {"group.id", InSpace(options.kafka, options.group)},
      {"partition.assignment.strategy", "cooperative-sticky"},
      {"session.timeout.ms", std::to_string(options.session_timeout_ms)},
      {"heartbeat.interval.ms", std::to_string(options.heartbeat_ms)},
      {"max.poll.interval.ms", std::to_string(kOwnershipCallbackMs)},
      {"allow.auto.create.topics", "false"},
      {"enable.auto.commit", "false"},
      {"enable.auto.offset.store", "false"},
      {"auto.offset.reset", "latest"},
  };
}

}  // namespace

GroupMember::~GroupMember() {
  LoseAll();
  if (client_ == nullptr) return;
  rd_kafka_t* const client = client_.release();
  Forget(client);
  // Without the flag librdkafka would close the membership again, unbounded, and call OnRebalance.
  if (CanBeDestroyed()) rd_kafka_destroy_flags(client, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

// What cannot is left to the process's end. Of those who go on without a member few come to that:
// for other certificates than those that brokers refuse it is assigned something first
// (IsOutdated), and fatal errors are told to members with an instance id alone.
bool GroupMember::CanBeDestroyed() const {
  return assigned_ || !subscribed_ || rd_kafka_version() >= kDestroysUnassigned;
}

Status GroupMember::Make() {
  Result<ConfPtr> conf = NewConf(options_.kafka, MemberSettings(options_));
  if (!conf) return Forward(conf);
  rd_kafka_conf_set_opaque(conf->get(), this);
  rd_kafka_conf_set_rebalance_cb(conf->get(), &OnRebalance);
  rd_kafka_conf_set_error_cb(conf->get(), &OnClientError);
  Result<ClientPtr> client = NewClient(options_.kafka, RD_KAFKA_CONSUMER, std::move(*conf));
  if (!client) return Forward(client);
  client_ = std::move(*client);
  rd_kafka_poll_set_consumer(client_.get());
  return {};
}

Status GroupMember::Subscribe() {
  if (client_ == nullptr) {
    if (Status made = Make(); !made) return made;
  }
  const PartitionListPtr topics(rd_kafka_topic_partition_list_new(1));
  const std::string topic = KafkaTopicName(options_.kafka, options_.topic);
  rd_kafka_topic_partition_list_add(topics.get(), topic.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t error = rd_kafka_subscribe(client_.get(), topics.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return std::unexpected(ErrorOf(error, topic));
  subscribed_ = true;
  return {};
}

bool GroupMember::Serve(std::int64_t timeout_ms) {
  const std::unique_ptr<rd_kafka_message_t, MessageDeleter> message(
      rd_kafka_consumer_poll(client_.get(), static_cast<int>(timeout_ms)));
  // Records do not come, since every partition is paused. Errors such as a poll that came too late
  // lose the partitions by OnRebalance, and librdkafka joins again by itself.
  if (message != nullptr && message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    WarnOf("consumer group", rd_kafka_message_errstr(message.get()));
  }
  return !over_;
}

void GroupMember::Close(std::int64_t timeout_ms) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  const QueuePtr queue(rd_kafka_queue_new(client_.get()));
  WarnIf(rd_kafka_consumer_close_queue(client_.get(), queue.get()), "leaving the group");
  while (!rd_kafka_consumer_closed(client_.get()) && std::chrono::steady_clock::now() < deadline) {
    if (rd_kafka_event_t* event = rd_kafka_queue_poll(queue.get(), static_cast<int>(kClosePollMs));
        event != nullptr) {
      if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_REBALANCE) {
        OnRebalance(client_.get(), rd_kafka_event_error(event),
                    rd_kafka_event_topic_partition_list(event), this);
      }
      rd_kafka_event_destroy(event);
    }
  }
  LoseAll();
}

void GroupMember::OnRebalance(rd_kafka_t* client, rd_kafka_resp_err_t error,
                              rd_kafka_topic_partition_list_t* partitions, void* opaque) {
  auto& self = *static_cast<GroupMember*>(opaque);
  // The assignment is changed always, by an empty list too: the group waits for it.
  if (error == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    self.assigned_ = true;
    self.Gain(partitions);
    return;
  }
  if (error != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) WarnOf("rebalance", rd_kafka_err2str(error));
  // Work stops before the group is told that it has.
  self.Lose(partitions);
  WarnIf(rd_kafka_incremental_unassign(client, partitions), "giving partitions back");
}

void GroupMember::OnClientError(rd_kafka_t* /*client*/, int error, const char* reason,
                                void* opaque) {
  auto& self = *static_cast<GroupMember*>(opaque);
  if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) self.cut_off_ = true;
  if (error != RD_KAFKA_RESP_ERR__FATAL) return;
  WarnOf("consumer group, fatally", reason);
  self.over_ = true;
}

void GroupMember::Gain(rd_kafka_topic_partition_list_t* partitions) {
  // Paused from the end: the tables know where to read, and others do the reading. The pause is in
  // force before the broker has told where the end is.
  std::vector<Partition> gained;
  for (int i = 0; i < partitions->cnt; ++i) {
    partitions->elems[i].offset = RD_KAFKA_OFFSET_END;
    gained.emplace_back(partitions->elems[i].partition);
  }
  WarnIf(rd_kafka_incremental_assign(client_.get(), partitions), "taking partitions");
  rd_kafka_pause_partitions(client_.get(), partitions);
  owned_.insert(gained.begin(), gained.end());
  callbacks_.gained(gained);
}

void GroupMember::Lose(const rd_kafka_topic_partition_list_t* partitions) {
  std::vector<Partition> lost;
  for (int i = 0; i < partitions->cnt; ++i) {
    const Partition partition(partitions->elems[i].partition);
    if (owned_.erase(partition) > 0) lost.push_back(partition);
  }
  if (!lost.empty()) callbacks_.lost(lost);
}

void GroupMember::LoseAll() {
  const std::vector<Partition> lost(owned_.begin(), owned_.end());
  owned_.clear();
  if (!lost.empty()) callbacks_.lost(lost);
}

}  // namespace fanfold::kafka
