// A schema of its own on the test MariaDB, dropped with the object, and a way to run SQL beside the
// adapter.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "common/mysql/connection.h"
#include "common/mysql/dsn.h"
#include "common/mysql/migrations.h"
#include "common/mysql/mysql_store.h"
#include "tests/contract/tables_under_test.h"
#include "tests/support/servers.h"

namespace fanfold::testing {

class MysqlTables final : public TablesUnderTest {
 public:
  // `options` are those of the store.
  explicit MysqlTables(const MysqlOptions& options = {})
      : options_(options), dsn_(TestDsn(UniqueSpace())) {
    const auto migrated = Migrate(dsn_, Shard(0), {16, 1});
    EXPECT_TRUE(migrated) << migrated.error().message;
  }
  ~MysqlTables() override {
    auto connection = Connect();
    (void)connection->Run(
        [&] { connection->Execute("DROP DATABASE `" + ParseDsn(dsn_)->schema + "`"); });
  }
  MysqlTables(const MysqlTables&) = delete;
  MysqlTables& operator=(const MysqlTables&) = delete;

  [[nodiscard]] std::unique_ptr<LaneStore> NewStore() override {
    return Must(NewMysqlLaneStore(dsn_, options_));
  }
  [[nodiscard]] std::unique_ptr<ProjectionReader> NewReader() override {
    return Must(NewMysqlProjectionReader(dsn_, {}));
  }
  [[nodiscard]] std::unique_ptr<TableOperations> NewOperations() override {
    return Must(NewMysqlTableOperations(dsn_, {}));
  }
  [[nodiscard]] std::unique_ptr<GenerationOperations> NewGenerations() override {
    return Must(NewMysqlGenerationOperations(dsn_));
  }
  [[nodiscard]] std::unique_ptr<TableSnapshot> NewSnapshot() override {
    return Must(NewMysqlTableSnapshot(dsn_, {}));
  }
  [[nodiscard]] std::unique_ptr<mysql::Connection> Connect() const {
    return std::make_unique<mysql::Connection>(*ParseDsn(dsn_), mysql::TimeLimits{});
  }
  [[nodiscard]] const std::string& dsn() const { return dsn_; }

 private:
  const MysqlOptions options_;
  std::string dsn_;
};

inline std::unique_ptr<TablesUnderTest> MakeMysqlTables() {
  return std::make_unique<MysqlTables>();
}
inline std::unique_ptr<TablesUnderTest> MakeMysqlTablesBySentFiles() {
  return std::make_unique<MysqlTables>(MysqlOptions{.sends_files = true});
}

}  // namespace fanfold::testing
