#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <utility>

#include "common/sql/catalog_rows.h"
#include "common/sql/generation_rules.h"
#include "common/sql/table_names.h"
#include "common/sqlite/folder_lock.h"
#include "common/sqlite/lane_rows.h"
#include "common/sqlite/memory_database.h"
#include "common/sqlite/row_tables.h"
#include "common/sqlite/sqlite_store.h"
#include "common/sqlite/sqlite_tables.h"

namespace fanfold {
namespace sqlite {
namespace {

class SqliteGenerationOperations final : public GenerationOperations {
 public:
  explicit SqliteGenerationOperations(std::shared_ptr<SqliteTables> tables)
      : tables_(std::move(tables)) {}

  Result<std::vector<GenerationRow>> List() override {
    return tables_->Write(
        [](Connection& connection, std::int64_t) { return GenerationRows(connection); });
  }

  Status Create(Projection projection, Generation generation, SlotMapId slot_map,
                std::span<const Partition> partitions,
                std::optional<std::int64_t> until_ms) override {
    return tables_->WriteDurably([&](Connection& connection, std::int64_t now_ms) {
      NewRowTables(projection)->Make(connection, generation);
      connection.Execute(
          "INSERT INTO generations (projection, generation, state, created_ms, slot_map) VALUES "
          "(?1, ?2, 'loading', ?3, ?4) ON CONFLICT DO NOTHING",
          ToString(projection), generation.value, now_ms, slot_map.value);
      if (until_ms) {
        connection.Execute(
            "UPDATE generations SET until_ms = ?3 WHERE projection = ?1 AND generation = ?2",
            ToString(projection), generation.value, *until_ms);
      }
      for (const Partition partition : partitions) {
        const LaneId lane{projection, generation, partition};
        if (!ReadLanes(connection, std::span(&lane, 1)).empty()) continue;
        AddLanes(connection, std::span(&lane, 1), kApplying, now_ms);
      }
    });
  }

  Status Hold(Projection projection) override {
    if (held_.contains(projection)) return {};
    Result<std::shared_ptr<void>> hold = TakeHold(projection);
    if (!hold) return Forward(hold);
    held_.emplace(projection, std::move(*hold));
    return {};
  }

  Status ShowLoad(Projection projection, Generation generation, LoadProgress load) override {
    return tables_->Write([&](Connection& connection, std::int64_t) {
      connection.Execute(
          "INSERT INTO rebuild_loads (projection, generation, done, total) VALUES (?1, ?2, ?3, ?4) "
          "ON CONFLICT DO UPDATE SET done = ?3, total = ?4",
          ToString(projection), generation.value, load.done, load.total);
    });
  }

  Status FinishLoading(Projection projection, Generation generation) override {
    return tables_->WriteDurably([&](Connection& connection, std::int64_t) {
      const auto known = FindGeneration(GenerationRows(connection), projection, generation);
      if (known.state != GenerationState::kLoading) return;
      NewRowTables(projection)->FinishLoading(connection, generation);
      connection.Execute(
          "UPDATE generations SET state = ?3 WHERE projection = ?1 AND generation = ?2",
          ToString(projection), generation.value, ToString(StateOfLoaded(known)));
    });
  }

  Status OrderToDecide(Projection projection, Generation generation) override {
    return tables_->WriteDurably([&](Connection& connection, std::int64_t) {
      CheckFolded(GenerationRows(connection), projection, generation);
      connection.Execute("UPDATE generations SET decides = (generation = ?1) WHERE projection = ?2",
                         generation.value, ToString(projection));
    });
  }

  Status Read(Projection projection, Generation generation) override {
    return tables_->WriteDurably([&](Connection& connection, std::int64_t now_ms) {
      CheckReadable(GenerationRows(connection), projection, generation, MapRead(connection));
      connection.Execute(
          "INSERT INTO catalog_reads (projection, generation) VALUES (?1, ?2) ON CONFLICT DO "
          "UPDATE "
          "SET generation = ?2",
          ToString(projection), generation.value);
      connection.Execute(kCatalogOfBefore);
      connection.Execute("UPDATE catalog SET updated_ms = ?1 WHERE id = 1", now_ms);
    });
  }

  Status NameLog(const std::string& log) override {
    return tables_->WriteDurably([&](Connection& connection, std::int64_t) {
      connection.Execute("UPDATE catalog SET log_id = ?1 WHERE id = 1", log);
    });
  }

  Result<std::int64_t> ReadSinceMs() override {
    return tables_->Write([](Connection& connection, std::int64_t now_ms) {
      Statement select = connection.Prepare("SELECT updated_ms FROM catalog WHERE id = 1");
      if (!select.Next()) throw Failure(ErrorCode::kRefused, "the tables have no catalog");
      return now_ms - select.I64(0);
    });
  }

  Status Drop(Projection projection, Generation generation) override {
    return tables_->WriteDurably([&](Connection& connection, std::int64_t) {
      CheckDroppable(GenerationRows(connection), Deciders(connection, projection, generation),
                     projection, generation);
      // What was parked stays listed, whatever becomes of the generation; once is enough.
      connection.Execute(
          "DELETE FROM parked WHERE projection = ?1 AND generation = ?2 AND EXISTS (SELECT 1 FROM "
          "parked o WHERE o.projection = parked.projection AND o.`partition` = parked.`partition` "
          "AND o.record_offset = parked.record_offset AND o.generation <> parked.generation)",
          ToString(projection), generation.value);
      for (const char* table : {"generations", "progress", "outbox", "rebuild_loads"}) {
        connection.Execute(
            fmt::format("DELETE FROM {} WHERE projection = ?1 AND generation = ?2", table),
            ToString(projection), generation.value);
      }
      for (const std::string_view stem : projection.tables()) {
        connection.Execute(fmt::format("DROP TABLE IF EXISTS {}", TableOf(stem, generation)));
      }
    });
  }

 private:
  static SlotMapId MapRead(Connection& connection) {
    Statement select = connection.Prepare("SELECT slot_map FROM catalog WHERE id = 1");
    if (!select.Next()) throw Failure(ErrorCode::kRefused, "the tables have no catalog");
    return SlotMapId(select.I32(0));
  }

  Result<std::shared_ptr<void>> TakeHold(Projection projection) {
    if (IsMemoryPath(tables_->path())) {
      std::shared_ptr<void> hold = tables_->HoldInMemory(projection);
      if (hold) return hold;
      return Fail(ErrorCode::kRefused,
                  fmt::format("the generations of {} are being changed", ToString(projection)));
    }
    const std::filesystem::path folder = std::filesystem::path(tables_->path()).parent_path();
    Result<FolderLock> lock =
        FolderLock::Take(folder.string(), fmt::format("generations-{}.lock", ToString(projection)));
    if (!lock) return Forward(lock);
    return std::make_shared<FolderLock>(std::move(*lock));
  }

  static std::int64_t Deciders(Connection& connection, Projection projection,
                               Generation generation) {
    Statement select = connection.Prepare(
        "SELECT COUNT(*) FROM progress WHERE projection = ?1 AND generation = ?2 AND role = "
        "'decides'");
    select.Bind(ToString(projection), generation.value);
    return select.Next() ? select.I64(0) : 0;
  }

  const std::shared_ptr<SqliteTables> tables_;
  std::map<Projection, std::shared_ptr<void>> held_;
};

}  // namespace
}  // namespace sqlite

std::unique_ptr<GenerationOperations> NewSqliteGenerationOperations(
    std::shared_ptr<SqliteTables> tables) {
  return std::make_unique<sqlite::SqliteGenerationOperations>(std::move(tables));
}

}  // namespace fanfold
