#include "cli/import_target.h"

#include <fmt/format.h>

#include "cli/lanes.h"
#include "cli/record_text.h"

namespace fanfold {
namespace {

Status CheckEmpty(EventLog& log, Topic topic, std::int32_t partitions) {
  const Result<LogEnds> ends = ReadEnds(log, topic, partitions);
  if (!ends) return std::unexpected(ends.error());
  for (std::size_t p = 0; p < ends->size(); ++p) {
    if ((*ends)[p] == Offset(0)) continue;
    return Fail(
        ErrorCode::kRefused,
        fmt::format("partition {} of {} has held {} records: a log is imported into an "
                    "empty one, so take a new folder, or another FANFOLD_SPACE and `fanfold "
                    "init`",
                    p, NameOf(topic), (*ends)[p].value));
  }
  return {};
}

bool HasFolded(const LaneProgress& progress) {
  const Offset none(0);
  return progress.next_offset != none || progress.event_offset != none ||
         progress.outcome_offset != none || progress.published_offset != none;
}

Status CheckLane(const ShardLane& lane) {
  const std::string name =
      fmt::format("{} on shard {}", NameOf(lane.status.lane), lane.shard.value);
  if (HasFolded(lane.status.progress)) {
    return Fail(ErrorCode::kRefused,
                fmt::format("{} has folded another log up to {}: a new log needs new tables, so "
                            "take empty schemas",
                            name, lane.status.progress.event_offset.value));
  }
  if (!lane.status.owner.empty()) {
    return Fail(ErrorCode::kRefused,
                fmt::format("{} is owned by {}: stop the projectors first, else they decide again "
                            "what was decided. (One that was killed leaves its name: start it and "
                            "stop it in order)",
                            name, lane.status.owner));
  }
  return {};
}

}  // namespace

Result<std::int32_t> CheckImportTarget(Backend& backend, EventLog& log) {
  for (const Topic topic : {Topic::kOutcomes, Topic::kEvents}) {
    if (Status empty = CheckEmpty(log, topic, backend.partitions()); !empty) return Forward(empty);
  }
  Result<ShardReaders> readers = OpenReaders(backend);
  if (!readers) return Forward(readers);
  Result<std::vector<ShardLane>> lanes = ReadLanes(*readers);
  if (!lanes) return Forward(lanes);
  for (const ShardLane& lane : *lanes) {
    if (Status free = CheckLane(lane); !free) return Forward(free);
  }
  return backend.partitions();
}

}  // namespace fanfold
