#include "cli/embedded/folder_files.h"

#include <algorithm>
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

Result<bool> IsEmpty(SqliteEventLog& log, std::int32_t partitions) {
  const Result<std::vector<LogBounds>> bounds = log.AllBounds(topics::kRelationEvents, partitions);
  if (!bounds) return std::unexpected(bounds.error());
  return std::ranges::all_of(*bounds, [](const LogBounds& of) { return of.end == Offset(0); });
}

// What would be acked into a new log stands below the lanes, which never fold it.
Status AreNew(const std::shared_ptr<SqliteTables>& tables, const std::string& log_path) {
  Result<std::unique_ptr<ProjectionReader>> reader = NewSqliteProjectionReader(tables);
  if (!reader) return Forward(reader);
  Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
  if (!lanes) return Forward(lanes);
  const auto folded = std::ranges::find_if(
      *lanes, [](const LaneStatus& lane) { return Offset(0) < lane.folded_offset; });
  if (folded == lanes->end()) return {};
  return Fail(ErrorCode::kRefused,
              fmt::format("'{}' is missing or empty, but the tables beside it hold {} events of "
                          "lane {}: bring that log back, with its -wal file if there is one. A new "
                          "log means new tables: take a new folder for it",
                          log_path, folded->folded_offset.value, operations::NameOf(folded->lane)));
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
  bool is_empty = true;
  if (fs::exists(log_path)) {
    Status opened = open_log({});
    // One whose maker was killed before it held anything is made anew.
    if (!opened && opened.error().code != ErrorCode::kNotFound) return Forward(opened);
  }
  if (log) {
    partitions = *log->PartitionCount(topics::kRelationEvents);
    Result<bool> empty = IsEmpty(*log, partitions);
    if (!empty) return Forward(empty);
    is_empty = *empty;
  }
  Result<std::shared_ptr<SqliteTables>> tables =
      OpenSqliteTables((fs::path(folder) / kSqliteTablesFile).string(), Shard(0),
                       {partitions, Node::kShards}, *clock, {.deployment = own});
  if (!tables) return Forward(tables);
  if (is_empty) {
    if (Status fits = AreNew(*tables, log_path); !fits) return Forward(fits);
  }
  if (!log) {
    if (Status made = open_log({.partitions = partitions}); !made) return Forward(made);
  }
  return FolderFiles{std::move(*lock), std::move(clock), std::move(log), partitions,
                     std::move(*tables)};
}

}  // namespace fanfold::embedded
