// How the verbs reach a deployment. main.cc makes one of the adapters; tests make one of fakes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/deployment.h"
#include "common/ports/environment.h"
#include "common/ports/event_log.h"
#include "common/ports/generation_operations.h"
#include "common/ports/lane_store.h"
#include "common/ports/log_proof.h"
#include "common/ports/projection_reader.h"
#include "common/ports/schema_identity.h"
#include "common/ports/table_operations.h"
#include "common/ports/table_snapshot.h"
#include "common/stream/position.h"
#include "common/stream/slot.h"

namespace fanfold::operations {

// The schemas that a backend's readers, stores and operations take: each of their sessions asks.
enum class Reach : std::uint8_t {
  kOwnSchemas = 1,  // the deployment's
  kAnySchemas = 2,  // whosever it is: for verbs that look for themselves
};

// One thread at a time. No method throws.
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::int32_t shards() const = 0;
  // P, as configured; EventLog::PartitionCount says how many the topics have, ours and others.
  [[nodiscard]] virtual std::int32_t partitions() const = 0;

  [[nodiscard]] virtual Result<std::shared_ptr<EventLog>> OpenLog() = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard shard) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<TableOperations>> OpenOperations(Shard shard) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard shard) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<GenerationOperations>> OpenGenerations(
      Shard shard) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<LaneStore>> OpenStore(Shard shard) = 0;

  // Do the reader's answers hold the events at these positions? True where no reader listens.
  // Errors: kUnavailable, kUnknown. Blocks for about timeout_ms.
  [[nodiscard]] virtual Result<bool> ReaderReached(std::span<const StreamPosition> positions,
                                                   std::int64_t timeout_ms) = 0;

  // How many processes fold this projection, as far as the log's group knows: one that died is a
  // member until its session ends. Errors: kUnavailable.
  [[nodiscard]] virtual Result<std::int32_t> Projectors(Projection projection) = 0;

  // For `fanfold doctor`. Errors: kNotFound, kRefused, kUnavailable.
  [[nodiscard]] virtual Result<LogFacts> ReadLogFacts() = 0;
  [[nodiscard]] virtual Result<DatabaseFacts> ReadDatabaseFacts(Shard shard,
                                                                const ReadGenerations& read) = 0;

  // Makes one of DatabaseFacts::indexes_wanted beside live reads and writes. Errors: kRefused,
  // kUnavailable; kInternal, an index of that name is there.
  [[nodiscard]] virtual Status AddIndex(Shard shard, const TableIndex& index) = 0;
  // Lines about plain text that leaves this machine though no setting allows it, each with what to
  // do.
  [[nodiscard]] virtual std::vector<std::string> plaintext() const { return {}; }

  // By which AddIndex does it, in the database's language.
  [[nodiscard]] virtual std::string IndexStatement(const TableIndex& index) const = 0;

  // The deployment that the configuration pins.
  [[nodiscard]] virtual std::optional<DeploymentId> pinned() const = 0;
  // Errors: kInvalidArgument, kRefused, kUnavailable.
  [[nodiscard]] virtual Result<SchemaTraces> LookAtSchema(Shard shard) = 0;
  // How many others are at the schema, as far as that can be told. Errors: kUnavailable.
  [[nodiscard]] virtual Result<std::int64_t> SessionsOn(Shard shard) = 0;
  // Errors: kConflict, the schema is not of `from`; kUnavailable; kUnknown: look.
  [[nodiscard]] virtual Status RenewIdentity(Shard shard, const DeploymentId& from,
                                             const DeploymentId& to) = 0;

  // How feeds are made where the deployment is made now: with inboxes, or without.
  [[nodiscard]] virtual bool is_hybrid() const { return false; }

  // Both may be repeated: what is there already stays. Migrate makes the schema that shard's, of
  // deployment `known`; without one, of the deployment that the schema names, or of a new one.
  // Returns which.
  [[nodiscard]] virtual Status CreateTopics() = 0;
  [[nodiscard]] virtual Result<DeploymentId> Migrate(Shard shard,
                                                     const std::optional<DeploymentId>& known) = 0;
};

// One reader a shard, in shard order. The failure names the shard.
using ShardReaders = std::vector<std::unique_ptr<ProjectionReader>>;
[[nodiscard]] Result<ShardReaders> OpenReaders(Backend& backend);

// As configured.
[[nodiscard]] inline Shape ShapeOf(const Backend& backend) {
  return {backend.partitions(), backend.shards()};
}

// The deployment that is read, told by shard 0's reader. Errors: ReadDeployment's.
[[nodiscard]] inline Result<Deployment> ReadNow(Backend& backend, ProjectionReader& first) {
  return ReadDeployment(first, ShapeOf(backend));
}

// Is the log the one that the tables of this stream were folded from? Errors: LogProof's; the
// ports', with the shard.
[[nodiscard]] Status ProveLog(Backend& backend, LogProof& proof, Stream stream,
                              const ReadGenerations& read,
                              LogProof::Asks asks = LogProof::Asks::kAll);

// Are the shards that answer those of the deployment that is configured? Errors: kRefused, by name.
[[nodiscard]] Status CheckShards(Backend& backend);

}  // namespace fanfold::operations
