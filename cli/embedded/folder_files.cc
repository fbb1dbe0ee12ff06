#include "cli/embedded/folder_files.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "cli/embedded/node.h"
#include "common/ports/projection_reader.h"
#include "operations/lanes/lanes.h"

namespace fanfold::embedded {

namespace {

namespace fs = std::filesystem;

// What would be acked into a log that ends below the lanes is never folded, and they would say that
// it is. `ends`: none where there is no log.
Status AreOfLog(const std::shared_ptr<SqliteTables>& tables, const operations::AllEnds& ends,
                const std::string& log_path) {
  Result<std::unique_ptr<ProjectionReader>> reader = NewSqliteProjectionReader(tables);
  if (!reader) return Forward(reader);
  Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
  if (!lanes) return Forward(lanes);
  for (const LaneStatus& lane : *lanes) {
    const Offset end = operations::EndOf(ends[lane.lane.stream.events()], lane.lane.partition);
    const std::int64_t lacking = lane.folded_offset.value - end.value;
    if (lacking <= 0) continue;
    return Fail(
        ErrorCode::kRefused,
        fmt::format("'{}' lacks {} of the {} events of lane {} that the tables beside it "
                    "hold: bring the log back that they were folded from, with its -wal "
                    "file if there is one. A new log means new tables: take a new folder, or "
                    "remove {}",
                    log_path, lacking, lane.folded_offset.value, operations::NameOf(lane.lane),
                    kSqliteTablesFile));
  }
  return {};
}

}  // namespace

Result<FolderFiles> OpenFolderFiles(const std::string& folder,
                                    const std::optional<DeploymentId>& own) {
  Result<FolderLock> lock = FolderLock::Take(folder);
  if (!lock) return Forward(lock);
  auto clock = std::make_unique<SystemClock>();
  const std::string log_path = (fs::path(folder) / kSqliteLogFile).string();
  std::unique_ptr<SqliteEventLog> log;
  const auto open_log = [&](const SqliteLogOptions& options) -> Status {
    Result<std::unique_ptr<SqliteEventLog>> opened = OpenSqliteEventLog(log_path, *clock, options);
    if (!opened) return Forward(opened);
    log = *std::move(opened);
    return {};
  };
  std::int32_t partitions = Node::kPartitions;
  if (fs::exists(log_path)) {
    Status opened = open_log({});
    // One whose maker was killed before it held anything is made anew.
    if (!opened && opened.error().code != ErrorCode::kNotFound) return Forward(opened);
  }
  operations::AllEnds ends;
  if (log) {
    partitions = *log->PartitionCount(topics::kRelationEvents);
    Result<operations::AllEnds> held = operations::ReadAllEnds(*log, partitions);
    if (!held) return Forward(held);
    ends = *std::move(held);
  }
  Result<std::shared_ptr<SqliteTables>> tables =
      OpenSqliteTables((fs::path(folder) / kSqliteTablesFile).string(), Shard(0),
                       {partitions, Node::kShards}, *clock, {.deployment = own});
  if (!tables) return Forward(tables);
  if (Status fits = AreOfLog(*tables, ends, log_path); !fits) return Forward(fits);
  const bool is_new = !log;
  if (is_new) {
    if (Status made = open_log({.partitions = partitions}); !made) return Forward(made);
  }
  return FolderFiles{std::move(*lock), std::move(clock),   std::move(log),
                     partitions,       std::move(*tables), is_new};
}

}  // namespace fanfold::embedded
