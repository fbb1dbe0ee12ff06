#include "cli/stack/backend.h"

#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>

#include "cli/deployment/reader_endpoint.h"
#include "cli/deployment/reader_probe.h"
#include "common/base/read_file.h"
#include "common/base/secret_file.h"
#include "common/config/warnings.h"
#include "common/kafka/group_facts.h"
#include "common/kafka/kafka_event_log.h"
#include "common/kafka/kafka_partition_ownership.h"
#include "common/kafka/topic_admin.h"
#include "common/kafka/topic_facts.h"
#include "common/mysql/add_index.h"
#include "common/mysql/database_facts.h"
#include "common/mysql/dsn.h"
#include "common/mysql/migrations.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/schema_identity.h"
#include "common/ports/deployment_check.h"

namespace fanfold::stack {
namespace {

// A verb asks once and ends, where a service would come back: it waits for brokers that are slow to
// answer, and for partitions whose leader moves.
constexpr BoundsWait kVerbBoundsWait{.timeout_ms = 15'000, .asks_again = true};

// Kafka and MySQL as a configuration names them.
class StackBackend final : public operations::Backend {
 public:
  StackBackend(Config config, operations::Reach reach) : config_(std::move(config)) {
    if (reach == operations::Reach::kAnySchemas) return;
    own_ = std::make_unique<OwnSchemas>(Shape{config_.partitions, shards()}, config_.deployment_id);
  }

  std::int32_t shards() const override { return static_cast<std::int32_t>(config_.shards.size()); }
  std::int32_t partitions() const override { return config_.partitions; }

  Result<std::shared_ptr<EventLog>> OpenLog() override { return NewKafkaEventLog(Kafka()); }

  Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard shard) override {
    return NewMysqlProjectionReader(DsnOf(shard), {.check = CheckOf(shard)});
  }

  Result<std::unique_ptr<TableOperations>> OpenOperations(Shard shard) override {
    return NewMysqlTableOperations(DsnOf(shard), {.check = CheckOf(shard)});
  }

  Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard shard) override {
    return NewMysqlTableSnapshot(DsnOf(shard), {.check = CheckOf(shard)});
  }

  Result<std::unique_ptr<GenerationOperations>> OpenGenerations(Shard shard) override {
    return NewMysqlGenerationOperations(DsnOf(shard), CheckOf(shard));
  }

  Result<std::unique_ptr<LaneStore>> OpenStore(Shard shard) override {
    return NewMysqlLaneStore(DsnOf(shard), {.sends_files = true, .check = CheckOf(shard)});
  }

  Result<bool> ReaderReached(std::span<const StreamPosition> positions,
                             std::int64_t timeout_ms) override {
    Result<http::HttpEndpoint> reader = ConfiguredReader(config_);
    if (!reader) return Forward(reader);
    return fanfold::ReaderReached(*reader, positions, timeout_ms);
  }

  Result<std::int32_t> Projectors(Projection projection) override {
    return GroupMembers(Kafka(), ProjectorGroup(ToString(projection)));
  }

  Result<LogFacts> ReadLogFacts() override { return ReadKafkaFacts(Kafka()); }
  Result<DatabaseFacts> ReadDatabaseFacts(Shard shard, const ReadGenerations& read) override {
    return ReadMysqlFacts(DsnOf(shard), MysqlOptions{}, read);
  }

  Status AddIndex(Shard shard, const TableIndex& index) override {
    return AddMysqlIndex(DsnOf(shard), index, CheckOf(shard));
  }

  std::string IndexStatement(const TableIndex& index) const override {
    return MysqlIndexStatement(index);
  }

  Status CreateTopics() override { return fanfold::CreateTopics(Kafka(), config_.partitions); }

  Result<DeploymentId> Migrate(Shard shard, const std::optional<DeploymentId>& known) override {
    return fanfold::Migrate(DsnOf(shard), shard, Shape{config_.partitions, shards()}, known);
  }

  std::optional<DeploymentId> pinned() const override { return config_.deployment_id; }
  std::vector<std::string> plaintext() const override { return PlaintextOf(config_); }
  bool is_hybrid() const override { return config_.feed == FeedChoice::kHybrid; }
  Result<SchemaTraces> LookAtSchema(Shard shard) override {
    return LookAtMysqlSchema(DsnOf(shard));
  }
  Result<std::int64_t> SessionsOn(Shard shard) override { return SessionsOnMysql(DsnOf(shard)); }
  Status RenewIdentity(Shard shard, const DeploymentId& from, const DeploymentId& to) override {
    return RenewMysqlIdentity(DsnOf(shard), from, to);
  }

 private:
  [[nodiscard]] KafkaOptions Kafka() const {
    return {config_.kafka_brokers, config_.space, kScanReadAhead, kVerbBoundsWait, config_.kafka};
  }
  [[nodiscard]] const std::string& DsnOf(Shard shard) const {
    return config_.shards[static_cast<std::size_t>(shard.value)];
  }

  [[nodiscard]] SchemaCheck CheckOf(Shard shard) { return own_ ? own_->Of(shard) : SchemaCheck(); }

  Config config_;
  std::unique_ptr<OwnSchemas> own_;
};

Status CheckDsn(const std::string& text) {
  const Result<Dsn> dsn = ParseDsn(text);
  if (!dsn) return std::unexpected(dsn.error());
  if (!dsn->password_file.empty()) {
    if (const auto secret = ReadSecret(dsn->password_file); !secret) {
      return std::unexpected(secret.error());
    }
  }
  const std::pair<std::string_view, const std::string&> files[] = {
      {"ssl_ca", dsn->ssl_ca}, {"ssl_cert", dsn->ssl_cert}, {"ssl_key", dsn->ssl_key}};
  for (const auto& [key, file] : files) {
    if (file.empty()) continue;
    if (const auto read = ReadUpTo(file, 0); !read) {
      return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {} {}", key, file, read.error()));
    }
  }
  return {};
}

}  // namespace

std::vector<Error> WhyUnusable(const Config& config) {
  std::vector<Error> wrong;
  const auto add = [&wrong](const Status& status) {
    if (!status) wrong.push_back(status.error());
  };
  for (std::size_t i = 0; i < config.shards.size(); ++i) {
    const Status fits = CheckDsn(config.shards[i]);
    if (!fits) add(OfShard(Shard(static_cast<std::int32_t>(i)), fits.error()));
  }
  const Shape shape{config.partitions, static_cast<std::int32_t>(config.shards.size())};
  if (!config.shards.empty()) add(CheckConfigured(shape));
  if (const auto log = NewKafkaEventLog({.client = config.kafka}); !log) {
    add(Fail(log.error().code, "kafka: " + log.error().message));
  }
  return wrong;
}

std::unique_ptr<operations::Backend> NewBackend(Config config, operations::Reach reach) {
  return std::make_unique<StackBackend>(std::move(config), reach);
}

}  // namespace fanfold::stack
