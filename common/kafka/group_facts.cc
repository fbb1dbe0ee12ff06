#include "common/kafka/group_facts.h"

#include <chrono>
#include <thread>

#include "common/kafka/admin.h"
#include "common/kafka/client.h"
#include "common/kafka/errors.h"

namespace fanfold {

using kafka::ErrorOf;

namespace {

Result<std::int32_t> AskMembers(rd_kafka_t* client, const std::string& name,
                                std::chrono::steady_clock::time_point deadline) {
  const kafka::QueuePtr queue(rd_kafka_queue_new(client));
  const kafka::AdminOptionsPtr asking(
      rd_kafka_AdminOptions_new(client, RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS));
  rd_kafka_AdminOptions_set_request_timeout(asking.get(), kafka::MsUntil(deadline), nullptr, 0);
  const char* asked = name.c_str();
  rd_kafka_DescribeConsumerGroups(client, &asked, 1, asking.get(), queue.get());
  const kafka::EventPtr event(rd_kafka_queue_poll(queue.get(), kafka::MsUntil(deadline)));
  if (event == nullptr)
    return Fail(ErrorCode::kUnavailable, name + ": no answer about its members");
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::unexpected(ErrorOf(error, name));
  }
  std::size_t count = 0;
  const auto** groups = rd_kafka_DescribeConsumerGroups_result_groups(
      rd_kafka_event_DescribeConsumerGroups_result(event.get()), &count);
  if (count != 1) return Fail(ErrorCode::kInternal, name + ": no answer about its members");
  if (const auto* error = rd_kafka_ConsumerGroupDescription_error(groups[0]); error != nullptr) {
    return std::unexpected(ErrorOf(rd_kafka_error_code(error), name));
  }
  return static_cast<std::int32_t>(rd_kafka_ConsumerGroupDescription_member_count(groups[0]));
}

}  // namespace

Result<std::int32_t> GroupMembers(const KafkaOptions& options, const std::string& group) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(options.bounds.timeout_ms);
  Result<kafka::ClientPtr> client = kafka::NewAskingClient(options);
  if (!client) return Forward(client);
  const std::string name = kafka::InSpace(options, group);
  while (true) {
    const Result<std::int32_t> members = AskMembers(client->get(), name, deadline);
    // Brokers that have just come do not know their groups' coordinators at once.
    const bool again = !members && members.error().code == ErrorCode::kUnavailable;
    if (!again || kafka::MsUntil(deadline) <= kafka::kAskAgainMs) return members;
    std::this_thread::sleep_for(std::chrono::milliseconds(kafka::kAskAgainMs));
  }
}

}  // namespace fanfold
