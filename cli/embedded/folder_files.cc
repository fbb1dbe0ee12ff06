#include "cli/embedded/folder_files.h"

#include <filesystem>
#include <utility>

#include "cli/embedded/node.h"

namespace fanfold::embedded {

Result<FolderFiles> OpenFolderFiles(const std::string& folder) {
  namespace fs = std::filesystem;
  Result<FolderLock> lock = FolderLock::Take(folder);
  if (!lock) return Forward(lock);
  auto clock = std::make_unique<SystemClock>();
  const std::string log_path = (fs::path(folder) / kSqliteLogFile).string();
  SqliteLogOptions options;
  if (!fs::exists(log_path)) options.partitions = Node::kPartitions;
  Result<std::unique_ptr<SqliteEventLog>> log = OpenSqliteEventLog(log_path, *clock, options);
  if (!log) return Forward(log);
  Result<std::int32_t> partitions = (*log)->PartitionCount(Topic::kEvents);
  if (!partitions) return Forward(partitions);
  Result<std::shared_ptr<SqliteTables>> tables =
      OpenSqliteTables((fs::path(folder) / kSqliteTablesFile).string(), Shard(0),
                       {*partitions, Node::kShards}, *clock);
  if (!tables) return Forward(tables);
  return FolderFiles{std::move(*lock), std::move(clock), std::move(*log), *partitions,
                     std::move(*tables)};
}

}  // namespace fanfold::embedded
