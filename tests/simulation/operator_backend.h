// The deployment as an operator's command, or an auditor, reaches it: calls fail, and it may die in
// any of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "operations/base/backend.h"
#include "tests/simulation/ground.h"
#include "tests/simulation/life.h"

namespace fanfold::simulation {

class OperatorBackend final : public operations::Backend {
 public:
  // Both outlive it.
  OperatorBackend(Ground& ground, Life& life) : ground_(ground), life_(life) {}

  std::int32_t shards() const override { return kShards; }
  std::int32_t partitions() const override { return kPartitions; }
  Result<std::shared_ptr<EventLog>> OpenLog() override;
  Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard shard) override;
  Result<std::unique_ptr<TableOperations>> OpenOperations(Shard shard) override;
  Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard shard) override;
  Result<std::unique_ptr<GenerationOperations>> OpenGenerations(Shard shard) override;
  Result<std::unique_ptr<LaneStore>> OpenStore(Shard shard) override;
  Result<std::int32_t> Projectors(Projection) override { return 2; }

  // What no command asks that is simulated.
  Result<bool> ReaderReached(std::span<const StreamPosition>, std::int64_t) override {
    return NotHere();
  }
  Result<LogFacts> ReadLogFacts() override { return NotHere(); }
  Result<DatabaseFacts> ReadDatabaseFacts(Shard, const ReadGenerations&) override {
    return NotHere();
  }
  Status AddIndex(Shard, const TableIndex&) override { return NotHere(); }
  std::string IndexStatement(const TableIndex&) const override { return {}; }
  std::optional<DeploymentId> pinned() const override { return std::nullopt; }
  Result<SchemaTraces> LookAtSchema(Shard) override { return NotHere(); }
  Result<std::int64_t> SessionsOn(Shard) override { return NotHere(); }
  Status RenewIdentity(Shard, const DeploymentId&, const DeploymentId&) override {
    return NotHere();
  }
  Status CreateTopics() override { return NotHere(); }
  Result<DeploymentId> Migrate(Shard, const std::optional<DeploymentId>&) override {
    return NotHere();
  }

 private:
  static std::unexpected<Error> NotHere() { return Fail(ErrorCode::kInternal, "not simulated"); }

  // Where it may be held up, or die: never while the tables stand still for it.
  void BetweenMoments();

  Ground& ground_;
  Life& life_;
};

}  // namespace fanfold::simulation
