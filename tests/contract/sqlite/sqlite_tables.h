// Tables of their own for a test: in a folder that goes away with the object, or in memory.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "common/base/clock.h"
#include "common/sqlite/memory_database.h"
#include "common/sqlite/sqlite_store.h"
#include "tests/contract/tables_under_test.h"
#include "tests/support/temp_folder.h"

namespace fanfold::testing {

// `Place` makes the path and keeps what it names.
template <class Place>
class SqliteTablesUnderTest final : public TablesUnderTest {
 public:
  [[nodiscard]] std::unique_ptr<LaneStore> NewStore() override {
    return NewSqliteLaneStore(tables_);
  }
  [[nodiscard]] std::unique_ptr<ProjectionReader> NewReader() override {
    return Must(NewSqliteProjectionReader(tables_));
  }
  [[nodiscard]] std::unique_ptr<TableOperations> NewOperations() override {
    return NewSqliteTableOperations(tables_);
  }
  [[nodiscard]] std::unique_ptr<GenerationOperations> NewGenerations() override {
    return NewSqliteGenerationOperations(tables_);
  }
  [[nodiscard]] std::unique_ptr<TableSnapshot> NewSnapshot() override {
    return Must(NewSqliteTableSnapshot(tables_));
  }
  // A connection beside the adapter's.
  [[nodiscard]] std::string path() const { return place_.path(); }

 private:
  Place place_;
  SystemClock clock_;
  std::shared_ptr<SqliteTables> tables_ =
      Must(OpenSqliteTables(place_.path(), Shard(0), {16, 1}, clock_));
};

class TablesFile {
 public:
  [[nodiscard]] std::string path() const { return folder_.path() + "/tables.db"; }

 private:
  TempFolder folder_;
};

using SqliteTablesFile = SqliteTablesUnderTest<TablesFile>;
using SqliteTablesInMemory = SqliteTablesUnderTest<MemoryDatabase>;

template <class Tables>
std::unique_ptr<TablesUnderTest> Make() {
  return std::make_unique<Tables>();
}

}  // namespace fanfold::testing
