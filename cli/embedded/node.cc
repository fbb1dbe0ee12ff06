#include "cli/embedded/node.h"

#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

#include "common/relation/slot.h"
#include "common/sqlite/folder_lock.h"
#include "common/sqlite/in_process_group.h"
#include "common/sqlite/sqlite_event_log.h"
#include "common/sqlite/sqlite_store.h"
#include "projector/fans/fans_projection.h"
#include "projector/following/following_projection.h"
#include "projector/runtime/projector.h"

namespace fanfold::embedded {
namespace {

namespace fs = std::filesystem;

// What is kept in the folder.
struct Files {
  std::unique_ptr<SqliteEventLog> log;
  std::int32_t partitions = 0;
  std::shared_ptr<SqliteTables> tables;
};

Result<Files> OpenFiles(const std::string& folder, const Clock& clock) {
  const std::string log_path = (fs::path(folder) / kSqliteLogFile).string();
  SqliteLogOptions options;
  if (!fs::exists(log_path)) options.partitions = Node::kPartitions;
  Result<std::unique_ptr<SqliteEventLog>> log = OpenSqliteEventLog(log_path, clock, options);
  if (!log) return Forward(log);
  Result<std::int32_t> partitions = (*log)->PartitionCount(Topic::kEvents);
  if (!partitions) return Forward(partitions);
  Result<std::shared_ptr<SqliteTables>> tables =
      OpenSqliteTables((fs::path(folder) / kSqliteTablesFile).string(), Shard(0),
                       {*partitions, Node::kShards}, clock);
  if (!tables) return Forward(tables);
  return Files{std::move(*log), *partitions, std::move(*tables)};
}

std::vector<std::unique_ptr<ProjectionStore>> StoresOf(const Files& files) {
  std::vector<std::unique_ptr<ProjectionStore>> stores;
  stores.push_back(NewSqliteProjectionStore(files.tables));
  return stores;
}

// One projection with its group of one member.
class Folding {
 public:
  Folding(const Projection& projection, const Files& files, const Clock& clock, Metrics& metrics)
      : group_(files.partitions, clock),
        member_(group_.NewThreadedMember()),
        series_(metrics, projection.kind()),
        projector_(projection, Placement(files.partitions, Node::kShards),
                   fmt::format("embedded/{}", getpid()), *files.log, StoresOf(files), clock,
                   series_) {}
  ~Folding() { projector_.Stop(); }
  Folding(const Folding&) = delete;
  Folding& operator=(const Folding&) = delete;

  Status Start() { return projector_.Start(*member_); }
  [[nodiscard]] Status Health() const { return projector_.Health(); }

 private:
  InProcessGroup group_;
  std::unique_ptr<PartitionOwnership> member_;
  ProjectorMetrics series_;
  Projector projector_;
};

class OpenNode final : public Node {
 public:
  OpenNode(FolderLock lock, std::unique_ptr<SystemClock> clock, Files files, FollowLimit limit,
           Metrics& metrics)
      : lock_(std::move(lock)),
        clock_(std::move(clock)),
        files_(std::move(files)),
        following_(limit),
        decider_(following_, files_, *clock_, metrics),
        applier_(fans_, files_, *clock_, metrics) {}

  Status Start() {
    if (Status started = decider_.Start(); !started) return started;
    return applier_.Start();
  }

  EventLog& log() override { return *files_.log; }
  Result<std::unique_ptr<ProjectionReader>> NewReader() override {
    return NewSqliteProjectionReader(files_.tables);
  }
  Status Health() const override {
    if (Status health = decider_.Health(); !health) return health;
    return applier_.Health();
  }

 private:
  const FolderLock lock_;
  const std::unique_ptr<SystemClock> clock_;
  const Files files_;
  const FollowingProjection following_;
  const FansProjection fans_;
  Folding decider_;
  Folding applier_;
};

}  // namespace

Result<std::unique_ptr<Node>> Node::Open(const std::string& folder, FollowLimit limit,
                                         Metrics& metrics) {
  Result<FolderLock> lock = FolderLock::Take(folder);
  if (!lock) return Forward(lock);
  auto clock = std::make_unique<SystemClock>();
  Result<Files> files = OpenFiles(folder, *clock);
  if (!files) return Forward(files);
  auto node = std::make_unique<OpenNode>(std::move(*lock), std::move(clock), std::move(*files),
                                         limit, metrics);
  if (Status started = node->Start(); !started) return Forward(started);
  return node;
}

}  // namespace fanfold::embedded
