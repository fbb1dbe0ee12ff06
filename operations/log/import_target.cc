#include "operations/log/import_target.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>

#include "operations/lanes/lanes.h"

namespace fanfold::operations {
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
                    p, topic.name(), (*ends)[p].value));
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
  return {};
}

Status CheckNobodyFolds(Backend& backend) {
  for (const Projection projection : Projection::All()) {
    const Result<std::int32_t> projectors = backend.Projectors(projection);
    if (!projectors) return std::unexpected(projectors.error());
    if (*projectors == 0) continue;
    return Fail(
        ErrorCode::kRefused,
        fmt::format("projectors of {} run, {} by their consumer group: stop them first, else they "
                    "decide again what was decided. (One that was killed counts until its session "
                    "ends, half a minute)",
                    ToString(projection), *projectors));
  }
  return {};
}

Status CheckNoRows(Backend& backend, Shard shard, const ReadGenerations& read) {
  Result<std::unique_ptr<TableSnapshot>> snapshot = backend.OpenSnapshot(shard);
  if (!snapshot) return Forward(snapshot);
  for (const Projection projection : Projection::All()) {
    const auto rows =
        (*snapshot)->Rows(projection, read[projection], std::nullopt, UserId(kUserIdMax), 1);
    if (!rows) return std::unexpected(rows.error());
    if (rows->empty()) continue;
    return Fail(ErrorCode::kRefused,
                fmt::format("the table of {} on shard {} has rows: a new log needs new tables, so "
                            "take empty schemas",
                            ToString(projection), shard.value));
  }
  return {};
}

std::optional<std::int64_t> BatchBytesMax(const TopicFacts& topic) {
  return ParseNonNegative(SettingOf(topic.settings, "max.message.bytes"));
}

}  // namespace

std::int64_t BatchBytesOf(const StoredRecord& record) noexcept {
  // The head of a batch, then of a record whose lengths take their longest form.
  constexpr std::int64_t kHeadBytesMax = 61 + 21;
  const auto size = [](const std::optional<std::string>& bytes) {
    return bytes ? static_cast<std::int64_t>(bytes->size()) : 0;
  };
  return kHeadBytesMax + size(record.key) + size(record.value);
}

Result<ImportTarget> CheckImportTarget(Backend& backend, EventLog& log) {
  if (Status alone = CheckNobodyFolds(backend); !alone) return Forward(alone);
  for (const Topic topic : Topic::All()) {
    if (Status empty = CheckEmpty(log, topic, backend.partitions()); !empty) return Forward(empty);
  }
  Result<ShardReaders> readers = OpenReaders(backend);
  if (!readers) return Forward(readers);
  Result<std::vector<ShardLane>> lanes = ReadLanes(*readers);
  if (!lanes) return Forward(lanes);
  for (const ShardLane& lane : *lanes) {
    if (Status free = CheckLane(lane); !free) return Forward(free);
  }
  const Result<Catalog> catalog = readers->front()->ReadCatalog();
  if (!catalog) return std::unexpected(catalog.error());
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    if (Status empty = CheckNoRows(backend, Shard(shard), catalog->read); !empty) {
      return Forward(empty);
    }
  }
  const Result<LogFacts> facts = backend.ReadLogFacts();
  if (!facts) return std::unexpected(facts.error());
  ImportTarget target{backend.partitions(), {}};
  for (const Topic topic : Topic::All()) {
    target.batch_bytes_max[topic] = BatchBytesMax(facts->topics[topic]);
  }
  return target;
}

}  // namespace fanfold::operations
