#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "common/mysql/connection.h"
#include "common/mysql/generation_tables.h"
#include "common/mysql/index_names.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/lock_names.h"
#include "common/mysql/mysql_store.h"
#include "common/mysql/options.h"
#include "common/mysql/row_tables.h"
#include "common/mysql/sql_text.h"
#include "common/sql/catalog_rows.h"
#include "common/sql/generation_rules.h"

namespace fanfold {
namespace mysql {
namespace {

constexpr int kHoldWaitS = 2;
constexpr int kHoldIdleMaxS = 7 * 24 * 3600;

class MysqlGenerationOperations final : public GenerationOperations {
 public:
  MysqlGenerationOperations(Dsn dsn, const MysqlOptions& options)
      : schema_(dsn.schema), connection_(std::move(dsn), LimitsOf(options), options.check) {}

  Result<std::vector<GenerationRow>> List() override {
    return connection_.Run([&] { return GenerationRows(connection_, ""); });
  }

  Status Create(Projection projection, Generation generation, SlotMapId slot_map,
                std::span<const Partition> partitions,
                std::optional<std::int64_t> until_ms) override {
    return connection_.Run([&] {
      KeepHold(projection);
      std::vector<LaneId> lanes;
      for (const Partition partition : partitions)
        lanes.push_back({projection, generation, partition});
      // First of all known as loading: what has lanes and is folded would be taken.
      connection_.Execute(fmt::format(
          "INSERT INTO generations (projection, generation, state, created_ms, until_ms, slot_map) "
          "VALUES ('{}', {}, 'loading', {}, {}, {}) ON DUPLICATE KEY UPDATE generation = "
          "generation",
          ToString(projection), generation.value, kNowMs,
          until_ms ? std::to_string(*until_ms) : "NULL", slot_map.value));
      // Without lanes there, its tables are what is left of one that was being dropped.
      if (Lanes(projection, generation, "") == 0) ExecuteAll(DropTables(projection, generation));
      NewRowTables(projection, connection_)->Make(generation);
      if (!lanes.empty()) connection_.Execute(InsertLanes(lanes, kApplying));
    });
  }

  Status Hold(Projection projection) override {
    return connection_.Run([&] {
      TakeHold(projection);
      // It idles for as long as others load, or verify.
      connection_.Execute(fmt::format("SET SESSION wait_timeout = {}", kHoldIdleMaxS));
      held_[projection] = connection_.sessions_opened();
    });
  }

  Status ShowLoad(Projection projection, Generation generation, LoadProgress load) override {
    return connection_.Run([&] {
      KeepHold(projection);
      connection_.Execute(
          fmt::format("INSERT INTO rebuild_loads (projection, generation, done, total) VALUES "
                      "('{0}', {1}, {2}, {3}) "
                      "ON DUPLICATE KEY UPDATE done = {2}, total = {3}",
                      ToString(projection), generation.value, load.done, load.total));
    });
  }

  Status FinishLoading(Projection projection, Generation generation) override {
    return connection_.Run([&] {
      KeepHold(projection);
      const GenerationRow known = Known(projection, generation);
      if (known.state != GenerationState::kLoading) return;
      NewRowTables(projection, connection_)->FinishLoading(generation);
      connection_.Execute(fmt::format(
          "UPDATE generations SET state = '{}' WHERE projection = '{}' AND generation = {}",
          ToString(StateOfLoaded(known)), ToString(projection), generation.value));
    });
  }

  Status OrderToDecide(Projection projection, Generation generation) override {
    return connection_.Run([&] {
      KeepHold(projection);
      Transaction transaction(connection_);
      CheckFolded(GenerationRows(connection_, " FOR UPDATE"), projection, generation);
      connection_.Execute(
          fmt::format("UPDATE generations SET decides = (generation = {}) WHERE projection = '{}'",
                      generation.value, ToString(projection)));
      transaction.Commit();
    });
  }

  Status Read(Projection projection, Generation generation) override {
    return connection_.Run([&] {
      KeepHold(projection);
      Transaction transaction(connection_);
      CheckReadable(GenerationRows(connection_, " FOR UPDATE"), projection, generation, MapRead());
      connection_.Execute(
          fmt::format("INSERT INTO catalog_reads (projection, generation) VALUES ('{0}', {1}) ON "
                      "DUPLICATE KEY UPDATE generation = {1}",
                      ToString(projection), generation.value));
      connection_.Execute(kCatalogOfBefore);
      connection_.Execute(fmt::format("UPDATE catalog SET updated_ms = {} WHERE id = 1", kNowMs));
      transaction.Commit();
    });
  }

  Status NameLog(const std::string& log) override {
    return connection_.Run([&] {
      std::string sql = "UPDATE catalog SET log_id = ";
      AppendWords(sql, log, kLogIdBytesMax);
      connection_.Execute(sql + " WHERE id = 1", Phase::kCommits);
    });
  }

  Result<std::int64_t> ReadSinceMs() override {
    return connection_.Run([&] {
      Rows rows = connection_.Query(
          fmt::format("SELECT {} - updated_ms FROM catalog WHERE id = 1", kNowMs));
      if (!rows.Next()) throw Failure(ErrorCode::kRefused, "the schema has no catalog");
      return rows.I64(0);
    });
  }

  // Known until its tables are gone, so that whoever was killed meanwhile can be called again.
  Status Drop(Projection projection, Generation generation) override {
    return connection_.Run([&] {
      KeepHold(projection);
      {
        Transaction transaction(connection_);
        CheckDroppable(GenerationRows(connection_, " FOR UPDATE"),
                       Lanes(projection, generation, "AND role = 'decides' FOR UPDATE"), projection,
                       generation);
        connection_.Execute(ForgetParkedTwice(projection, generation));
        for (const char* table : {"progress", "outbox", "rebuild_loads"}) {
          DeleteFrom(table, projection, generation);
        }
        connection_.Execute(
            fmt::format("UPDATE generations SET state = 'loading' WHERE projection = '{}' AND "
                        "generation = {}",
                        ToString(projection), generation.value));
        transaction.Commit();
      }
      ExecuteAll(DropTables(projection, generation));
      DeleteFrom("generations", projection, generation);
    });
  }

 private:
  SlotMapId MapRead() {
    Rows rows = connection_.Query("SELECT slot_map FROM catalog WHERE id = 1 FOR UPDATE");
    if (!rows.Next()) throw Failure(ErrorCode::kRefused, "the schema has no catalog");
    return SlotMapId(rows.I32(0));
  }

  GenerationRow Known(Projection projection, Generation generation) {
    return FindGeneration(GenerationRows(connection_, ""), projection, generation);
  }

  // How many there are of which `more` holds too.
  std::int64_t Lanes(Projection projection, Generation generation, std::string_view more) {
    Rows rows = connection_.Query(
        fmt::format("SELECT COUNT(*) FROM progress FORCE INDEX ({}) WHERE projection = '{}' AND "
                    "generation = {} {}",
                    kPrimaryIndex, ToString(projection), generation.value, more));
    return rows.Next() ? rows.I64(0) : 0;
  }

  // The server gives the lock back with the session: in one that was opened since, others may have
  // had it.
  void KeepHold(Projection projection) {
    const auto held = held_.find(projection);
    if (held == held_.end()) return;
    TakeHold(projection);
    if (connection_.sessions_opened() == held->second) return;
    held->second = connection_.sessions_opened();
    throw Failure(ErrorCode::kUnavailable,
                  "the session that held the generations was lost: call this again");
  }

  // By the session, as often as it likes. The server takes a moment to notice that a holder is
  // gone.
  void TakeHold(Projection projection) {
    const std::string name = GenerationsLockName(schema_, projection);
    Rows rows = connection_.Query(
        fmt::format("SELECT GET_LOCK('{0}', {1}), IS_USED_LOCK('{0}')", name, kHoldWaitS));
    if (rows.Next() && !rows.IsNull(0) && rows.I64(0) == 1) return;
    throw Failure(ErrorCode::kRefused,
                  fmt::format("another command makes or drops generations of {}: session {} of the "
                              "database",
                              ToString(projection), rows.IsNull(1) ? "?" : rows.Text(1)));
  }

  void DeleteFrom(const char* table, Projection projection, Generation generation) {
    connection_.Execute(fmt::format("DELETE FROM {} WHERE projection = '{}' AND generation = {}",
                                    table, ToString(projection), generation.value));
  }

  void ExecuteAll(const std::vector<std::string>& statements) {
    for (const std::string& statement : statements) connection_.Execute(statement);
  }

  const std::string schema_;
  Connection connection_;
  std::map<Projection, std::uint64_t> held_;  // and in which session
};

}  // namespace
}  // namespace mysql

Result<std::unique_ptr<GenerationOperations>> NewMysqlGenerationOperations(
    const std::string& dsn, const SchemaCheck& check) {
  // Tables are counted and indexed whole.
  const MysqlOptions options{.statement_timeout_ms = std::int64_t{6} * 3600 * 1000, .check = check};
  Result<Dsn> parsed = mysql::CheckedDsn(dsn, options);
  if (!parsed) return Forward(parsed);
  return std::make_unique<mysql::MysqlGenerationOperations>(std::move(*parsed), options);
}

}  // namespace fanfold
