#include <fmt/format.h>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/memory_database.h"
#include "common/sqlite/sqlite_store.h"
#include "tests/simulation/adapters.h"
#include "tests/simulation/passing_store.h"
#include "tests/simulation/scale.h"
#include "tests/support/memory_log.h"

namespace fanfold::simulation {
namespace {

constexpr std::string_view kLaneIs =
    "projection = ?1 AND generation = ?2 AND `partition` = ?3 AND stream = ?4";

template <class Value>
Value Must(Result<Value> result) {
  FANFOLD_CHECK(result.has_value(), "SQLite in memory fails");
  return *std::move(result);
}

// Beside the adapters; a connection's clock is of each call.
template <class Work>
auto ByHand(sqlite::Connection& hand, const Work& work) {
  return Must(hand.Run(work));
}

// A repair that leaves the lanes' owners what they have in work.
class UnfencedOperations final : public PassingOperations {
 public:
  UnfencedOperations(std::unique_ptr<TableOperations> tables, sqlite::Connection& hand)
      : PassingOperations(std::move(tables)), hand_(hand) {}

  Result<RepairDone> Repair(const RepairScope& scope, const RepairBase& base,
                            const FoldAgain& fold) override {
    ByHand(hand_, [&] { hand_.Execute("CREATE TEMP TABLE fences AS SELECT * FROM progress"); });
    Result<RepairDone> done = tables_->Repair(scope, base, fold);
    ByHand(hand_, [&] {
      hand_.Execute(
          "UPDATE progress SET (owner_epoch, owner_nonce) = (SELECT owner_epoch, owner_nonce FROM "
          "fences f WHERE (f.projection, f.generation, f.`partition`, f.stream) = "
          "(progress.projection, progress.generation, progress.`partition`, progress.stream))");
      hand_.Execute("DROP TABLE fences");
    });
    return done;
  }

 private:
  sqlite::Connection& hand_;
};

// Tells otherwise of the lanes.
class LyingSnapshot final : public TableSnapshot {
 public:
  LyingSnapshot(std::unique_ptr<TableSnapshot> snapshot, OnLanes on_lanes)
      : snapshot_(std::move(snapshot)), on_lanes_(std::move(on_lanes)) {}

  Result<std::vector<LaneStatus>> Lanes() override {
    auto lanes = snapshot_->Lanes();
    if (lanes) on_lanes_(*lanes);
    return lanes;
  }
  Result<std::vector<OutboxRow>> Outbox(Projection projection, Generation generation) override {
    return snapshot_->Outbox(projection, generation);
  }
  Result<std::vector<RowImage>> Rows(Projection projection, Generation generation,
                                     const std::optional<RowKey>& after, UserId last,
                                     std::size_t limit) override {
    return snapshot_->Rows(projection, generation, after, last, limit);
  }
  Result<std::vector<UserCount>> Counts(Projection projection, Generation generation,
                                        const std::optional<UserId>& after, UserId last,
                                        std::size_t limit) override {
    return snapshot_->Counts(projection, generation, after, last, limit);
  }
  Result<RowTally> Tally(Projection projection, Generation generation, UserId first, UserId last,
                         std::size_t limit) override {
    return snapshot_->Tally(projection, generation, first, last, limit);
  }
  Result<std::uint64_t> LastRepair() override { return snapshot_->LastRepair(); }

 private:
  std::unique_ptr<TableSnapshot> snapshot_;
  const OnLanes on_lanes_;
};

class SqliteAdapters final : public Adapters {
 public:
  SqliteAdapters(const Placement& placement, const Clock& clock) : log_(placement.partitions()) {
    for (std::int32_t number = 0; number < placement.shards(); ++number) {
      const Shard shard(number);
      auto& database = databases_.emplace_back(std::make_unique<MemoryDatabase>());
      tables_.push_back(Must(OpenSqliteTables(database->path(), shard, placement.shape(), clock)));
      hands_.push_back(
          std::make_unique<sqlite::Connection>(database->path(), sqlite::ConnectionOptions{}));
    }
  }

  testing::MemoryLog& log() override { return log_; }
  std::unique_ptr<LaneStore> NewStore(Shard shard) override {
    return NewSqliteLaneStore(TablesOf(shard));
  }
  std::unique_ptr<ProjectionReader> NewReader(Shard shard) override {
    return Must(NewSqliteProjectionReader(TablesOf(shard)));
  }
  std::unique_ptr<TableSnapshot> NewSnapshot(Shard shard, OnLanes on_lanes) override {
    return std::make_unique<LyingSnapshot>(Must(NewSqliteTableSnapshot(TablesOf(shard))),
                                           std::move(on_lanes));
  }
  std::unique_ptr<TableOperations> NewOperations(Shard shard, bool fences) override {
    auto tables = NewSqliteTableOperations(TablesOf(shard));
    if (fences) return tables;
    return std::make_unique<UnfencedOperations>(std::move(tables), HandOf(shard));
  }

  std::unique_ptr<GenerationOperations> NewGenerations(Shard shard) override {
    return NewSqliteGenerationOperations(TablesOf(shard));
  }

  Reach ReachOf(Shard shard, const LaneId& lane) const override {
    sqlite::Connection& hand = HandOf(shard);
    return ByHand(hand, [&] {
      sqlite::Statement select = hand.Prepare(
          fmt::format("SELECT event_offset, (SELECT COALESCE(MAX(next_offset), 0) FROM outbox "
                      "WHERE {0}) FROM progress WHERE {0}",
                      kLaneIs));
      select.Bind(ToString(lane.projection), lane.generation.value, lane.partition.value,
                  lane.stream.name());
      return select.Next() ? Reach{Offset(select.I64(0)), Offset(select.I64(1))} : Reach();
    });
  }
  int DecidersOf(Shard shard, Projection projection, Partition partition) const override {
    sqlite::Connection& hand = HandOf(shard);
    return ByHand(hand, [&] {
      sqlite::Statement select = hand.Prepare(
          "SELECT COUNT(*) FROM progress WHERE role = 'decides' AND `partition` = ?1 AND "
          "projection = ?2");
      select.Bind(partition.value, projection.name());
      return select.Next() ? select.I32(0) : 0;
    });
  }
  void Rewind(Shard shard, const LaneId& lane, Offset to) override {
    const Status rewound = NewOperations(shard, true)->Rewind(lane, to);
    FANFOLD_CHECK(rewound.has_value(), "SQLite in memory rewinds no lane");
  }
  std::int64_t Damage(Shard shard, const std::string& statement) override {
    sqlite::Connection& hand = HandOf(shard);
    return ByHand(hand, [&] { return hand.Execute(statement); });
  }

  void LetAllDecide() override { FANFOLD_CHECK(false, "in memory alone"); }
  void LetOlderProfilesWin() override { FANFOLD_CHECK(false, "in memory alone"); }
  std::shared_ptr<const Backup> BackUp(Shard) override { return nullptr; }
  void Restore(Shard, const Backup&) override { FANFOLD_CHECK(false, "in memory alone"); }

 private:
  [[nodiscard]] const std::shared_ptr<SqliteTables>& TablesOf(Shard shard) {
    return tables_[static_cast<std::size_t>(shard.value)];
  }
  [[nodiscard]] sqlite::Connection& HandOf(Shard shard) const {
    return *hands_[static_cast<std::size_t>(shard.value)];
  }

  testing::MemoryLog log_;
  std::vector<std::unique_ptr<MemoryDatabase>> databases_;
  std::vector<std::shared_ptr<SqliteTables>> tables_;
  std::vector<std::unique_ptr<sqlite::Connection>> hands_;
};

}  // namespace

std::unique_ptr<Adapters> NewSqliteAdapters(const Placement& placement, const Clock& clock) {
  return std::make_unique<SqliteAdapters>(placement, clock);
}

}  // namespace fanfold::simulation
