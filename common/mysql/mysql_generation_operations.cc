#include <fmt/format.h>
#include <string>
#include <utility>

#include "common/mysql/connection.h"
#include "common/mysql/generation_tables.h"
#include "common/mysql/index_names.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/options.h"
#include "common/mysql/sql_text.h"
#include "common/sql/generation_rules.h"
#include "common/sql/table_names.h"

namespace fanfold {
namespace mysql {
namespace {

class MysqlGenerationOperations final : public GenerationOperations {
 public:
  MysqlGenerationOperations(Dsn dsn, const MysqlOptions& options)
      : connection_(std::move(dsn), LimitsOf(options)) {}

  Result<std::vector<GenerationRow>> List() override {
    return connection_.Run([&] { return ReadGenerations(connection_, ""); });
  }

  Status Create(ProjectionKind projection, Generation generation,
                std::span<const Partition> partitions,
                std::optional<std::int64_t> until_ms) override {
    return connection_.Run([&] {
      ExecuteAll(MakeTables(projection, generation));
      std::vector<LaneId> lanes;
      for (const Partition partition : partitions)
        lanes.push_back({projection, generation, partition});
      // First of all known as loading: what has lanes and is folded would be claimed.
      connection_.Execute(fmt::format(
          "INSERT INTO generations (projection, generation, state, created_ms, until_ms) VALUES "
          "('{}', {}, 'loading', {}, {}) ON DUPLICATE KEY UPDATE generation = generation",
          ToString(projection), generation.value, kNowMs,
          until_ms ? std::to_string(*until_ms) : "NULL"));
      if (!lanes.empty()) connection_.Execute(InsertLanes(lanes, LaneRole::kApplies));
    });
  }

  Status FinishLoading(ProjectionKind projection, Generation generation) override {
    return connection_.Run([&] {
      const GenerationRow known = Known(projection, generation);
      if (known.state != GenerationState::kLoading) return;
      {
        Transaction transaction(connection_);
        ExecuteAll(CountRows(projection, generation));
        transaction.Commit();
      }
      if (!HasPageIndex(projection, generation)) {
        connection_.Execute(MakePageIndex(projection, generation));
      }
      connection_.Execute(fmt::format(
          "UPDATE generations SET state = '{}' WHERE projection = '{}' AND generation = {}",
          ToString(StateOfLoaded(known)), ToString(projection), generation.value));
    });
  }

  Status GiveSeat(Generation generation) override {
    return connection_.Run([&] {
      Transaction transaction(connection_);
      CheckFolded(ReadGenerations(connection_, " FOR UPDATE"), ProjectionKind::kFollowing,
                  generation);
      connection_.Execute(fmt::format(
          "UPDATE generations SET decides = (generation = {}) WHERE projection = 'following'",
          generation.value));
      transaction.Commit();
    });
  }

  Status Read(ProjectionKind projection, Generation generation) override {
    return connection_.Run([&] {
      Transaction transaction(connection_);
      CheckFolded(ReadGenerations(connection_, " FOR UPDATE"), projection, generation);
      connection_.Execute(fmt::format("UPDATE catalog SET {} = {}, updated_ms = {} WHERE id = 1",
                                      PointerOf(projection), generation.value, kNowMs));
      transaction.Commit();
    });
  }

  Status Drop(ProjectionKind projection, Generation generation) override {
    return connection_.Run([&] {
      {
        Transaction transaction(connection_);
        CheckDroppable(ReadGenerations(connection_, " FOR UPDATE"),
                       Deciders(projection, generation), projection, generation);
        connection_.Execute(ForgetParkedTwice(projection, generation));
        for (const char* table : {"generations", "progress", "outbox"}) {
          connection_.Execute(
              fmt::format("DELETE FROM {} WHERE projection = '{}' AND generation = {}", table,
                          ToString(projection), generation.value));
        }
        transaction.Commit();
      }
      ExecuteAll(DropTables(projection, generation));
    });
  }

 private:
  GenerationRow Known(ProjectionKind projection, Generation generation) {
    return FindGeneration(ReadGenerations(connection_, ""), projection, generation);
  }

  std::int64_t Deciders(ProjectionKind projection, Generation generation) {
    Rows rows = connection_.Query(
        fmt::format("SELECT COUNT(*) FROM progress FORCE INDEX ({}) WHERE projection = '{}' AND "
                    "generation = {} AND role = 'decides' FOR UPDATE",
                    kPrimaryIndex, ToString(projection), generation.value));
    return rows.Next() ? rows.I64(0) : 0;
  }

  bool HasPageIndex(ProjectionKind projection, Generation generation) {
    Rows rows = connection_.Query(
        fmt::format("SELECT COUNT(*) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = "
                    "DATABASE() AND TABLE_NAME = '{}' AND INDEX_NAME = '{}'",
                    TablesOf(projection, generation).edges, kPageIndex));
    return rows.Next() && rows.I64(0) > 0;
  }

  void ExecuteAll(const std::vector<std::string>& statements) {
    for (const std::string& statement : statements) connection_.Execute(statement);
  }

  Connection connection_;
};

}  // namespace
}  // namespace mysql

Result<std::unique_ptr<GenerationOperations>> NewMysqlGenerationOperations(const std::string& dsn) {
  // Tables are counted and indexed whole.
  constexpr MysqlOptions kOptions{.statement_timeout_ms = std::int64_t{6} * 3600 * 1000};
  Result<Dsn> parsed = mysql::CheckedDsn(dsn, kOptions);
  if (!parsed) return Forward(parsed);
  return std::make_unique<mysql::MysqlGenerationOperations>(std::move(*parsed), kOptions);
}

}  // namespace fanfold
