#include "cli/embedded/backends.h"

#include <filesystem>
#include <utility>

#include "cli/deployment/reader_probe.h"
#include "cli/embedded/folder_files.h"
#include "cli/embedded/node.h"
#include "cli/embedded/posting_appender.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/sqlite/add_index.h"
#include "common/sqlite/database_facts.h"
#include "common/sqlite/folder_lock.h"
#include "common/sqlite/sqlite_event_log.h"
#include "common/sqlite/sqlite_store.h"

namespace fanfold::embedded {
namespace {

// What Node::Open has made already.
class EmbeddedBackend : public operations::Backend {
 public:
  explicit EmbeddedBackend(std::string folder) : folder_(std::move(folder)) {}

  std::int32_t shards() const override { return Node::kShards; }
  std::int32_t partitions() const override { return Node::kPartitions; }
  Status CreateTopics() override { return {}; }
  Status Migrate(Shard) override { return {}; }
  Status AddIndex(Shard, const TableIndex& index) override {
    return AddSqliteIndex(In(kSqliteTablesFile), index);
  }
  Result<bool> ReaderReached(std::span<const Position>, std::int64_t) override { return true; }
  // In the process that has the folder.
  Result<std::int32_t> Projectors(Projection) override { return 1; }
  Result<LogFacts> ReadLogFacts() override;
  Result<DatabaseFacts> ReadDatabaseFacts(Shard, const ReadGenerations& read) override {
    return ReadSqliteFacts(In(kSqliteTablesFile), read);
  }

 protected:
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  [[nodiscard]] std::string In(std::string_view file) const {
    return (std::filesystem::path(folder_) / file).string();
  }

 private:
  const std::string folder_;
};

Result<LogFacts> EmbeddedBackend::ReadLogFacts() {
  Result<std::shared_ptr<EventLog>> log = OpenLog();
  if (!log) return Forward(log);
  LogFacts facts;
  for (const Topic topic : Topic::All()) {
    Result<std::int32_t> partitions = (*log)->PartitionCount(topic);
    if (!partitions) return Forward(partitions);
    facts.topics[topic].name = topic.name();
    facts.topics[topic].partitions = *partitions;
  }
  return facts;
}

class NodeBackend final : public EmbeddedBackend {
 public:
  using EmbeddedBackend::EmbeddedBackend;

  Status Open(FollowLimit limit) {
    Result<std::unique_ptr<Node>> node =
        Node::Open(folder(), limit, {.mode = AuditMode::kOff}, metrics_);
    if (!node) return Forward(node);
    node_ = std::move(*node);
    return {};
  }

  Result<std::shared_ptr<EventLog>> OpenLog() override {
    return std::shared_ptr<EventLog>(node_, &node_->log());
  }
  Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard) override {
    return node_->NewReader();
  }
  Result<std::unique_ptr<TableOperations>> OpenOperations(Shard) override {
    return NewSqliteTableOperations(node_->tables());
  }
  Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard) override {
    return NewSqliteTableSnapshot(node_->tables());
  }
  Result<std::unique_ptr<GenerationOperations>> OpenGenerations(Shard) override {
    return NewSqliteGenerationOperations(node_->tables());
  }
  Result<std::unique_ptr<LaneStore>> OpenStore(Shard) override {
    return NewSqliteLaneStore(node_->tables());
  }

 private:
  Metrics metrics_;
  std::shared_ptr<Node> node_;
};

// Log and tables without anybody who folds.
class UnfoldedBackend final : public EmbeddedBackend {
 public:
  UnfoldedBackend(std::string folder, FolderFiles files)
      : EmbeddedBackend(std::move(folder)),
        files_(std::make_shared<FolderFiles>(std::move(files))) {}

  Result<std::int32_t> Projectors(Projection) override { return 0; }

  Result<std::shared_ptr<EventLog>> OpenLog() override {
    return std::shared_ptr<EventLog>(files_, files_->log.get());
  }
  Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard) override {
    return NewSqliteProjectionReader(files_->tables);
  }
  Result<std::unique_ptr<TableOperations>> OpenOperations(Shard) override {
    return NewSqliteTableOperations(files_->tables);
  }
  Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard) override {
    return NewSqliteTableSnapshot(files_->tables);
  }
  Result<std::unique_ptr<GenerationOperations>> OpenGenerations(Shard) override {
    return NewSqliteGenerationOperations(files_->tables);
  }
  Result<std::unique_ptr<LaneStore>> OpenStore(Shard) override {
    return NewSqliteLaneStore(files_->tables);
  }

 private:
  const std::shared_ptr<FolderFiles> files_;
};

// The files are read beside the process that has them, which SQLite allows; only it writes.
class ServedLog final : public EventLog {
 public:
  ServedLog(std::unique_ptr<EventLog> files, ServeNote note)
      : files_(std::move(files)), note_(std::move(note)) {}

  Result<std::int32_t> PartitionCount(Topic topic) override {
    return files_->PartitionCount(topic);
  }
  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    return files_->BoundsOf(topic, partitions);
  }
  Result<std::unique_ptr<LogReader>> NewReader(Topic topic, const ReaderOptions& options) override {
    return files_->NewReader(topic, options);
  }
  Result<std::unique_ptr<LogAppender>> NewAppender(Topic topic, const AppenderOptions&) override {
    if (topic.of_outcomes()) return Fail(ErrorCode::kRefused, "outcomes are the projector's");
    return NewPostingAppender(note_.host, note_.port);
  }
  Status Ping(std::int64_t timeout_ms) override { return files_->Ping(timeout_ms); }

 private:
  std::unique_ptr<EventLog> files_;
  ServeNote note_;
};

class ServingBackend final : public EmbeddedBackend {
 public:
  ServingBackend(std::string folder, ServeNote note)
      : EmbeddedBackend(std::move(folder)), note_(std::move(note)) {}

  Status Open() {
    Result<std::unique_ptr<EventLog>> log = OpenSqliteEventLogBeside(In(kSqliteLogFile));
    if (!log) return Forward(log);
    Result<std::int32_t> partitions = (*log)->PartitionCount(topics::kRelationEvents);
    if (!partitions) return Forward(partitions);
    log_ = std::make_shared<ServedLog>(std::move(*log), note_);
    Result<std::shared_ptr<SqliteTables>> tables =
        OpenSqliteTables(In(kSqliteTablesFile), Shard(0), {*partitions, Node::kShards}, clock_);
    if (!tables) return Forward(tables);
    tables_ = std::move(*tables);
    return {};
  }

  Result<std::shared_ptr<EventLog>> OpenLog() override { return log_; }
  Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard) override {
    return NewSqliteProjectionReader(tables_);
  }
  Result<std::unique_ptr<TableOperations>> OpenOperations(Shard) override {
    return NewSqliteTableOperations(tables_);
  }
  Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard) override {
    return NewSqliteTableSnapshot(tables_);
  }
  Result<std::unique_ptr<GenerationOperations>> OpenGenerations(Shard) override {
    return NewSqliteGenerationOperations(tables_);
  }
  Result<std::unique_ptr<LaneStore>> OpenStore(Shard) override {
    return NewSqliteLaneStore(tables_);
  }
  Result<bool> ReaderReached(std::span<const Position> positions,
                             std::int64_t timeout_ms) override {
    return fanfold::ReaderReached(note_.host, note_.port, positions, timeout_ms);
  }

 private:
  const ServeNote note_;
  SystemClock clock_;
  std::shared_ptr<EventLog> log_;
  std::shared_ptr<SqliteTables> tables_;
};

}  // namespace

Result<std::unique_ptr<operations::Backend>> OpenBackend(const std::string& folder,
                                                         FollowLimit limit) {
  auto backend = std::make_unique<NodeBackend>(folder);
  if (Status opened = backend->Open(limit); !opened) return Forward(opened);
  return backend;
}

Result<std::unique_ptr<operations::Backend>> OpenUnfoldedBackend(const std::string& folder) {
  Result<FolderFiles> files = OpenFolderFiles(folder);
  if (!files) return Forward(files);
  return std::make_unique<UnfoldedBackend>(folder, std::move(*files));
}

Result<std::unique_ptr<operations::Backend>> ServedBackend(const std::string& folder,
                                                           const ServeNote& note) {
  auto backend = std::make_unique<ServingBackend>(folder, note);
  if (Status opened = backend->Open(); !opened) return Forward(opened);
  return backend;
}

}  // namespace fanfold::embedded
