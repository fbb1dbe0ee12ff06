#include "cli/embedded/node.h"

#include <fmt/format.h>
#include <list>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/embedded/folder_files.h"
#include "common/ports/deployment.h"
#include "common/ports/inbox_store.h"
#include "common/ports/own_log.h"
#include "common/sqlite/in_process_group.h"
#include "common/sqlite/sqlite_store.h"
#include "common/stream/slot.h"
#include "projector/folds.h"
#include "projector/runtime/projector.h"

namespace fanfold::embedded {
namespace {

projector::AuditorPorts PortsOf(const FolderFiles& files) {
  return {*files.log,
          [&files](Shard) { return NewSqliteProjectionReader(files.tables); },
          [&files](Shard) { return NewSqliteTableSnapshot(files.tables); },
          [&files](Shard) -> Result<std::unique_ptr<TableOperations>> {
            return NewSqliteTableOperations(files.tables);
          },
          Shape{files.partitions, Node::kShards},
          [&files](Shard) -> Result<std::unique_ptr<LaneStore>> {
            return NewSqliteLaneStore(files.tables);
          }};
}

// One projection with its group of one member.
class Folding {
 public:
  Folding(std::unique_ptr<const projector::Fold> fold, const FolderFiles& files, Metrics& metrics)
      : fold_(std::move(fold)),
        group_(files.partitions, *files.clock),
        member_(group_.NewThreadedMember()),
        series_(metrics, fold_->projection()),
        ports_{*files.log,
               [&files](Shard) { return NewSqliteProjectionReader(files.tables); },
               [&files](Shard) { return NewSqliteTableSnapshot(files.tables); },
               [&files](Shard) -> Result<std::unique_ptr<LaneStore>> {
                 return NewSqliteLaneStore(files.tables);
               },
               Shape{files.partitions, Node::kShards},
               [this](Partition partition) { return projector_.Owns(partition); },
               *files.clock,
               metrics},
        projector_(
            *fold_, Node::kShards, fmt::format("embedded/{}", getpid()),
            {ports_.log, ports_.open_store,
             [this](SlotMapId map) { return AskPlacement(ports_.open_reader, ports_.shape, map); },
             [this](Projection projection) {
               return AskGenerationRead(ports_.open_reader, projection);
             },
             ports_.clock, series_}) {}
  ~Folding() {
    task_.reset();
    projector_.Stop();
  }
  Folding(const Folding&) = delete;
  Folding& operator=(const Folding&) = delete;

  Status Start() {
    if (Status started = projector_.Start(*member_); !started) return started;
    task_ = fold_->NewTask(ports_);
    return {};
  }
  [[nodiscard]] Status Health() const { return projector_.Health(); }

 private:
  std::unique_ptr<const projector::Fold> fold_;
  InProcessGroup group_;
  std::unique_ptr<PartitionOwnership> member_;
  projector::ProjectorMetrics series_;
  const projector::TaskPorts ports_;
  projector::Projector projector_;
  std::unique_ptr<projector::Task> task_;
};

std::list<Folding> NewFoldings(const FolderFiles& files, const NodeOptions& options,
                               Metrics& metrics) {
  std::list<Folding> foldings;
  for (const Projection projection : Projection::All()) {
    foldings.emplace_back(projector::NewFold(projection, options.follow_limit, options.inboxes),
                          files, metrics);
  }
  return foldings;
}

class OpenNode final : public Node {
 public:
  OpenNode(FolderFiles files, const NodeOptions& options, Metrics& metrics)
      : files_(std::move(files)),
        folding_(NewFoldings(files_, options, metrics)),
        auditor_(PortsOf(files_), AllProjections(), [] { return true; }, options.audit, metrics) {}

  Status Start() {
    for (Folding& folding : folding_) {
      if (Status started = folding.Start(); !started) return started;
    }
    return {};
  }

  EventLog& log() override { return *files_.log; }
  const std::shared_ptr<SqliteTables>& tables() const override { return files_.tables; }
  Result<std::unique_ptr<ProjectionReader>> NewReader() override {
    return NewSqliteProjectionReader(files_.tables);
  }
  Status Health() const override {
    for (const Folding& folding : folding_) {
      if (Status health = folding.Health(); !health) return health;
    }
    return {};
  }

 private:
  const FolderFiles files_;
  std::list<Folding> folding_;
  projector::Auditor auditor_;
};

// Of a deployment without events.
Status BeginHybrid(const FolderFiles& files) {
  const std::unique_ptr<LaneStore> lanes = NewSqliteLaneStore(files.tables);
  const std::unique_ptr<InboxStore> inboxes = OpenInboxes(*lanes);
  constexpr Generation kFirst{1};
  std::vector<InboxStart> starts;
  for (const Stream stream : {streams::kPosts, streams::kFeeds}) {
    for (std::int32_t p = 0; p < files.partitions; ++p)
      starts.push_back({stream, Partition(p), {}});
  }
  if (Status begun = inboxes->Begin(kFirst, starts); !begun) return begun;
  return inboxes->SetMode({kFirst, true});
}

}  // namespace

NodeOptions NodeOptionsOf(const Config& config, const projector::AuditorOptions& audit) {
  return {FollowLimit(config.follow_limit), audit,
          InboxLimits{config.push_fans_max, config.inbox_length, config.inbox_active_days},
          config.feed == FeedChoice::kHybrid};
}

Result<std::unique_ptr<Node>> Node::Open(const std::string& folder,
                                         const std::optional<DeploymentId>& own,
                                         const NodeOptions& options, Metrics& metrics) {
  Result<FolderFiles> files = OpenFolderFiles(folder, own);
  if (!files) return Forward(files);
  const std::unique_ptr<GenerationOperations> tables = NewSqliteGenerationOperations(files->tables);
  const Status named = NameLog(
      *files->log, [&files](Shard) { return NewSqliteProjectionReader(files->tables); }, *tables,
      kShards);
  if (!named) return std::unexpected(named.error());
  if (files->is_new && options.is_hybrid) {
    if (Status begun = BeginHybrid(*files); !begun) return Forward(begun);
  }
  auto node = std::make_unique<OpenNode>(std::move(*files), options, metrics);
  if (Status started = node->Start(); !started) return Forward(started);
  return node;
}

}  // namespace fanfold::embedded
