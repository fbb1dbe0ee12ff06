// A schema of its own on the test MariaDB, dropped with the object, and a way to run SQL beside the
// adapter.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/mysql/connection.h"
#include "common/mysql/dsn.h"
#include "common/mysql/migrations.h"
#include "common/mysql/mysql_store.h"
#include "tests/contract/tables_under_test.h"
#include "tests/support/servers.h"

namespace fanfold::testing {

// The schema that each test's is a copy of, since to migrate one takes several times as long.
class MigratedSchema final : public ::testing::Environment {
 public:
  void SetUp() override {
    dsn_ = TestDsn(UniqueSpace());
    Must(Migrate(dsn_, Shard(0), {16, 1}));
    const std::string from = "`" + ParseDsn(dsn_)->schema + "`.";
    mysql::Connection connection(*ParseDsn(dsn_), mysql::TimeLimits{});
    Must(connection.Run([&] {
      std::vector<std::string> names;
      mysql::Rows tables = connection.Query("SHOW TABLES");
      while (tables.Next()) names.push_back("`" + tables.Text(0) + "`");
      for (const std::string& table : names) {
        // As its text says it: MySQL's LIKE gives constraints other names.
        mysql::Rows text = connection.Query("SHOW CREATE TABLE " + table);
        if (text.Next()) copy_ += text.Text(1) + ";";
        copy_ += "INSERT INTO " + table + " SELECT * FROM " + from + table + ";";
        statements_ += 2;
      }
      return true;
    }));
  }
  void TearDown() override { Drop(dsn_); }

  // A deployment of its own.
  void CopyTo(const std::string& dsn) const {
    Dsn nowhere = *ParseDsn(dsn);
    const std::string schema = "`" + std::exchange(nowhere.schema, "") + "`";
    mysql::Connection connection(std::move(nowhere), mysql::TimeLimits{});
    Must(connection.Run([&] {
      connection.ExecuteTogether("CREATE DATABASE " + schema + "; USE " + schema + ";" + copy_ +
                                     "UPDATE schema_identity SET deployment = '" +
                                     DeploymentId::Draw().text() + "'",
                                 statements_ + 3);
      return true;
    }));
  }

  static void Drop(const std::string& dsn) {
    mysql::Connection connection(*ParseDsn(dsn), mysql::TimeLimits{});
    (void)connection.Run(
        [&] { connection.Execute("DROP DATABASE `" + ParseDsn(dsn)->schema + "`"); });
  }

 private:
  std::string dsn_;
  std::string copy_;
  int statements_ = 0;
};

inline auto* const kMigratedSchema =
    static_cast<const MigratedSchema*>(::testing::AddGlobalTestEnvironment(new MigratedSchema));

class MysqlTables final : public TablesUnderTest {
 public:
  // `options` are those of the store.
  explicit MysqlTables(const MysqlOptions& options = {})
      : options_(options), dsn_(TestDsn(UniqueSpace())) {
    kMigratedSchema->CopyTo(dsn_);
  }
  ~MysqlTables() override { MigratedSchema::Drop(dsn_); }
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
