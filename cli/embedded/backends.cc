#include "cli/embedded/backends.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "cli/deployment/reader_endpoint.h"
#include "cli/deployment/reader_probe.h"
#include "cli/embedded/folder_files.h"
#include "cli/embedded/folder_room.h"
#include "cli/embedded/node.h"
#include "cli/embedded/posting_appender.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/config/warnings.h"
#include "common/sqlite/add_index.h"
#include "common/sqlite/database_facts.h"
#include "common/sqlite/folder_lock.h"
#include "common/sqlite/schema_identity.h"
#include "common/sqlite/sqlite_event_log.h"
#include "common/sqlite/sqlite_store.h"

namespace fanfold::embedded {
namespace {

// What Node::Open has made already.
class EmbeddedBackend : public operations::Backend {
 public:
  explicit EmbeddedBackend(Config config) : config_(std::move(config)) {}

  std::int32_t shards() const override { return Node::kShards; }
  std::int32_t partitions() const override { return Node::kPartitions; }
  Status CreateTopics() override { return {}; }
  Result<DeploymentId> Migrate(Shard, const std::optional<DeploymentId>&) override {
    Result<SchemaTraces> traces = LookAtSchema(Shard(0));
    if (!traces) return Forward(traces);
    return traces->identity->deployment;
  }
  std::string IndexStatement(const TableIndex& index) const override {
    return SqliteIndexStatement(index);
  }
  Status AddIndex(Shard, const TableIndex& index) override {
    return AddSqliteIndex(In(kSqliteTablesFile), index);
  }
  Result<bool> ReaderReached(std::span<const StreamPosition>, std::int64_t) override {
    return true;
  }
  // In the process that has the folder.
  Result<std::int32_t> Projectors(Projection) override { return 1; }
  Result<LogFacts> ReadLogFacts() override;
  Result<DatabaseFacts> ReadDatabaseFacts(Shard, const ReadGenerations& read) override {
    return ReadSqliteFacts(In(kSqliteTablesFile), read);
  }
  std::optional<DeploymentId> pinned() const override { return config_.deployment_id; }
  std::vector<std::string> plaintext() const override { return PlaintextOf(config_); }
  Result<SchemaTraces> LookAtSchema(Shard) override {
    Result<std::optional<SchemaIdentity>> identity = ReadSqliteIdentity(*tables());
    if (!identity) return Forward(identity);
    return SchemaTraces{*std::move(identity), {}, {}, {}};
  }
  Result<std::int64_t> SessionsOn(Shard) override { return 0; }
  Status RenewIdentity(Shard, const DeploymentId& from, const DeploymentId& to) override {
    return RenewSqliteIdentity(*tables(), from, to);
  }
  Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard) override {
    return NewSqliteProjectionReader(tables());
  }
  Result<std::unique_ptr<TableOperations>> OpenOperations(Shard) override {
    return NewSqliteTableOperations(tables());
  }
  Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard) override {
    return NewSqliteTableSnapshot(tables());
  }
  Result<std::unique_ptr<GenerationOperations>> OpenGenerations(Shard) override {
    return NewSqliteGenerationOperations(tables());
  }
  Result<std::unique_ptr<LaneStore>> OpenStore(Shard) override {
    return NewSqliteLaneStore(tables());
  }

 protected:
  [[nodiscard]] virtual const std::shared_ptr<SqliteTables>& tables() const = 0;
  [[nodiscard]] const std::string& folder() const noexcept { return config_.folder; }
  [[nodiscard]] std::string In(std::string_view file) const {
    return (std::filesystem::path(folder()) / file).string();
  }

 private:
  const Config config_;
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
  facts.free_bytes = FreeBytes(folder());
  return facts;
}

class NodeBackend final : public EmbeddedBackend {
 public:
  using EmbeddedBackend::EmbeddedBackend;

  Status Open(const std::optional<DeploymentId>& own, const NodeOptions& options) {
    Result<std::unique_ptr<Node>> node = Node::Open(folder(), own, options, metrics_);
    if (!node) return Forward(node);
    node_ = std::move(*node);
    return {};
  }

  Result<std::shared_ptr<EventLog>> OpenLog() override {
    return std::shared_ptr<EventLog>(node_, &node_->log());
  }

 protected:
  const std::shared_ptr<SqliteTables>& tables() const override { return node_->tables(); }

 private:
  Metrics metrics_;
  std::shared_ptr<Node> node_;
};

// Log and tables without anybody who folds.
class UnfoldedBackend final : public EmbeddedBackend {
 public:
  UnfoldedBackend(Config config, FolderFiles files)
      : EmbeddedBackend(std::move(config)),
        files_(std::make_shared<FolderFiles>(std::move(files))) {}

  Result<std::int32_t> Projectors(Projection) override { return 0; }

  Result<std::shared_ptr<EventLog>> OpenLog() override {
    return std::shared_ptr<EventLog>(files_, files_->log.get());
  }

 protected:
  const std::shared_ptr<SqliteTables>& tables() const override { return files_->tables; }

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
  Result<std::unique_ptr<LogAppender>> NewAppender(Topic topic,
                                                   const AppenderOptions& options) override {
    if (topic.of_outcomes()) return Fail(ErrorCode::kRefused, "outcomes are the projector's");
    return NewPostingAppender(note_.endpoint(), topic, options, refusal_);
  }
  Result<std::string> Id() override { return files_->Id(); }
  // What the process refused last is known without asking it.
  Status Ping(std::int64_t timeout_ms) override {
    Status refused = refusal_->Now();
    return refused ? files_->Ping(timeout_ms) : refused;
  }

 private:
  std::unique_ptr<EventLog> files_;
  ServeNote note_;
  const std::shared_ptr<WriterRefusal> refusal_ = std::make_shared<WriterRefusal>();
};

class ServingBackend final : public EmbeddedBackend {
 public:
  ServingBackend(Config config, ServeNote note)
      : EmbeddedBackend(std::move(config)), note_(std::move(note)) {}

  Status Open(const std::optional<DeploymentId>& own) {
    Result<std::unique_ptr<EventLog>> log = OpenSqliteEventLogBeside(In(kSqliteLogFile));
    if (!log) return Forward(log);
    Result<std::int32_t> partitions = (*log)->PartitionCount(topics::kRelationEvents);
    if (!partitions) return Forward(partitions);
    log_ = std::make_shared<ServedLog>(std::move(*log), note_);
    Result<std::shared_ptr<SqliteTables>> tables = OpenSqliteTables(
        In(kSqliteTablesFile), Shard(0), {*partitions, Node::kShards}, clock_, {.deployment = own});
    if (!tables) return Forward(tables);
    tables_ = std::move(*tables);
    return {};
  }

  Result<std::shared_ptr<EventLog>> OpenLog() override { return log_; }
  Result<std::int64_t> SessionsOn(Shard) override { return 1; }  // the process that serves
  Result<bool> ReaderReached(std::span<const StreamPosition> positions,
                             std::int64_t timeout_ms) override {
    return fanfold::ReaderReached(note_.endpoint(), positions, timeout_ms);
  }

 protected:
  const std::shared_ptr<SqliteTables>& tables() const override { return tables_; }

 private:
  const ServeNote note_;
  SystemClock clock_;
  std::shared_ptr<EventLog> log_;
  std::shared_ptr<SqliteTables> tables_;
};

std::optional<DeploymentId> OwnOf(const Config& config, operations::Reach reach) {
  return reach == operations::Reach::kOwnSchemas ? config.deployment_id : std::nullopt;
}

}  // namespace

Result<std::unique_ptr<operations::Backend>> OpenBackend(const Config& config,
                                                         operations::Reach reach) {
  auto backend = std::make_unique<NodeBackend>(config);
  const Status opened = backend->Open(OwnOf(config, reach),
                                      NodeOptionsOf(config, {.mode = projector::AuditMode::kOff}));
  if (!opened) return std::unexpected(opened.error());
  return backend;
}

Result<std::unique_ptr<operations::Backend>> OpenUnfoldedBackend(const Config& config) {
  Result<FolderFiles> files = OpenFolderFiles(config.folder, config.deployment_id);
  if (!files) return Forward(files);
  return std::make_unique<UnfoldedBackend>(config, std::move(*files));
}

Result<std::unique_ptr<operations::Backend>> ServedBackend(const Config& config,
                                                           operations::Reach reach,
                                                           const ServeNote& note) {
  Result<ServeNote> shown = WithShownToken(config, note);
  if (!shown) return Forward(shown);
  auto backend = std::make_unique<ServingBackend>(config, *std::move(shown));
  if (Status opened = backend->Open(OwnOf(config, reach)); !opened) return Forward(opened);
  return backend;
}

}  // namespace fanfold::embedded
