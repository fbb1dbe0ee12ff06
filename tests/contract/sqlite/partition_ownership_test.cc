#include "common/base/clock.h"
#include "common/sqlite/in_process_group.h"
#include "tests/contract/partition_ownership_contract.h"

namespace fanfold::testing {
namespace {

std::function<std::unique_ptr<PartitionOwnership>()> MakeGroup(std::int32_t partitions) {
  static const SystemClock clock;
  return [group = std::make_shared<InProcessGroup>(partitions, clock)] {
    return group->NewThreadedMember();
  };
}

INSTANTIATE_TEST_SUITE_P(InProcess, PartitionOwnershipContract,
                         ::testing::Values(OwnershipFactory{"InProcess", &MakeGroup}),
                         OwnershipName);

}  // namespace
}  // namespace fanfold::testing
