// A fold on real tables of one shard: by lanes, by a load, and what verify and repair make of it.
#pragma once

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "common/sqlite/memory_database.h"
#include "common/sqlite/sqlite_store.h"
#include "projector/audit/repairer.h"
#include "projector/audit/verifier.h"
#include "projector/rebuild/loader.h"
#include "projector/runtime/shard_worker.h"
#include "tests/contract/tables_under_test.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_log.h"

namespace fanfold::testing {

class FoldOnTables : public ::testing::Test {
 protected:
  static constexpr std::int32_t kPartitions = 4;

  explicit FoldOnTables(const projector::Fold& fold) : fold_(fold) {}

  // Whose the record is, whatever it says.
  void Put(std::uint64_t user, const std::string& value) {
    log_.Put(fold_.projection().stream().events(), placement_.PartitionOf(UserId(user)),
             ToString(UserId(user)), value);
  }

  void Fold() {
    projector::ShardWorker worker(
        fold_, projector::WorkPlace{placement_, Shard(0), kG1}, "test",
        projector::WorkerPorts{log_, NewSqliteLaneStore(tables_), clock_, series_});
    ASSERT_TRUE(worker.Open());
    worker.Gain(AllPartitions());
    for (int i = 0; i < 20; ++i) {
      worker.Step(0);
      clock_.now_ms += 1'000;
    }
    worker.Lose(AllPartitions());
  }

  // Generation 2, empty, or loaded in small pieces.
  void MakeSecond(bool loaded) {
    const Projection projection = fold_.projection();
    const auto generations = NewSqliteGenerationOperations(tables_);
    ASSERT_TRUE(generations->Create(projection, Generation(2), kFirstSlotMap, AllPartitions(),
                                    std::nullopt));
    if (loaded) Load();
    ASSERT_TRUE(generations->FinishLoading(projection, Generation(2)));
  }

  std::unique_ptr<ProjectionReader> NewReader() { return Must(NewSqliteProjectionReader(tables_)); }
  std::vector<ParkedRow> Parked() { return Must(NewReader()->Parked(fold_.projection(), {}, 10)); }

  projector::AuditPorts Ports() {
    return {log_, proof_, [this](Shard) { return NewSqliteTableSnapshot(tables_); }, placement_,
            pace_};
  }
  projector::VerifyReport Verify() {
    return Must(projector::Verifier(Ports(), {}, {fold_.projection()}).All());
  }
  // "kind user" of each.
  static std::vector<std::string> KindsIn(const projector::VerifyReport& report) {
    std::vector<std::string> kinds;
    for (const projector::Difference& difference : report.differences) {
      kinds.push_back(std::string(ToString(difference.kind)) + ' ' + ToString(difference.user));
    }
    return kinds;
  }
  // How many rows were written.
  std::int64_t Mend(const projector::VerifyReport& found) {
    projector::Repairer repairer(Ports(),
                                 [this](Shard) -> Result<std::unique_ptr<TableOperations>> {
                                   return NewSqliteTableOperations(tables_);
                                 },
                                 {});
    return static_cast<std::int64_t>(Must(repairer.Mend(found.differences, "test")).rows);
  }

  static std::vector<Partition> AllPartitions() {
    std::vector<Partition> all;
    for (std::int32_t p = 0; p < kPartitions; ++p) all.emplace_back(p);
    return all;
  }

  void Load() {
    projector::Loader loader({log_,
                              [this](Shard) -> Result<std::unique_ptr<LaneStore>> {
                                return NewSqliteLaneStore(tables_);
                              },
                              placement_, pace_},
                             fold_,
                             {.generation = Generation(2),
                              .shards = {Shard(0)},
                              .owner = "test",
                              .until = {},
                              .chunk_bytes_max = 2'000});
    const Status loaded = loader.LoadAll();
    ASSERT_TRUE(loaded) << loaded.error().message;
  }

  class FreePace final : public projector::ScanPace {
   public:
    bool Read(std::int64_t) override { return true; }
  };

  const projector::Fold& fold_;
  const Placement placement_ = Placement::Modulo({kPartitions, 1});
  MemoryLog log_{kPartitions};
  LogProof proof_{log_};
  ManualClock clock_;
  MemoryDatabase database_;
  std::shared_ptr<SqliteTables> tables_ =
      Must(OpenSqliteTables(database_.path(), Shard(0), {kPartitions, 1}, clock_));
  Metrics metrics_;
  projector::ProjectorMetrics series_{metrics_, fold_.projection()};
  FreePace pace_;
};

}  // namespace fanfold::testing
