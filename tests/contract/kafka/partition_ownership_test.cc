#include "common/base/check.h"
#include "common/kafka/kafka_partition_ownership.h"
#include "common/kafka/topic_admin.h"
#include "tests/contract/kafka/fresh_space.h"
#include "tests/contract/partition_ownership_contract.h"

namespace fanfold::testing {
namespace {

OwnershipOptions FreshGroup(std::int32_t partitions) {
  OwnershipOptions options{.kafka = FreshSpace(),
                           .group = "fanfold-following",
                           .topic = topics::kRelationEvents,
                           .session_timeout_ms = 6'000,
                           .heartbeat_ms = 100};
  const Status made = CreateTopics(options.kafka, partitions, 1);
  FANFOLD_CHECK(made.has_value(), made.error().message);
  return options;
}

std::function<std::unique_ptr<PartitionOwnership>()> MakeGroup(std::int32_t partitions) {
  return [options = FreshGroup(partitions)] { return NewKafkaPartitionOwnership(options); };
}

INSTANTIATE_TEST_SUITE_P(Kafka, PartitionOwnershipContract,
                         ::testing::Values(OwnershipFactory{"Kafka", &MakeGroup}), OwnershipName);

}  // namespace
}  // namespace fanfold::testing
