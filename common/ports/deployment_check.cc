#include "common/ports/deployment_check.h"

#include <string>
#include <utility>

namespace fanfold {

Status CheckTopic(EventLog& log, Topic topic, std::int32_t partitions) {
  const Result<std::int32_t> there = log.PartitionCount(topic);
  if (!there) return std::unexpected(there.error());
  if (*there >= partitions) return {};
  return Fail(ErrorCode::kRefused,
              std::string(NameOf(topic)) + " has " + std::to_string(*there) +
                  " partitions, the deployment " + std::to_string(partitions) +
                  ": see that the configuration names its log");
}

Result<std::int64_t> ForeignRecords(EventLog& log, Topic topic, std::int32_t partitions) {
  const Result<std::int32_t> there = log.PartitionCount(topic);
  if (!there) return std::unexpected(there.error());
  std::vector<Partition> foreign;
  for (std::int32_t p = partitions; p < *there; ++p) foreign.emplace_back(p);
  std::int64_t records = 0;
  if (foreign.empty()) return records;
  for (const Result<LogBounds>& bounds : log.BoundsOf(topic, foreign)) {
    if (!bounds) return std::unexpected(bounds.error());
    records += bounds->end.value - bounds->begin.value;
  }
  return records;
}

}  // namespace fanfold
