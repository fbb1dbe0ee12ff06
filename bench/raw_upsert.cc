// The baseline of the pipeline: the same rows, upserted bare. Two threads, one connection each, one
// into the following table, one into the fan table, both with their indexes, in the log's order,
// each batch sorted by primary key and committed. raw_upsert DSN EDGES.tsv BATCH_ROWS: prints
// {"rows":…,"seconds":…,"edges_per_second":…}
#include <algorithm>
#include <chrono>
#include <cppconn/connection.h>
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/statement.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/mysql/dsn.h"
#include "common/mysql/migrations.h"

namespace {

struct Row {
  std::uint64_t user;
  std::uint64_t other;
  std::int64_t since_ms;
  std::int64_t version;
};

std::vector<Row> ReadRows(const char* path) {
  std::vector<Row> rows;
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return rows;
  Row row{};
  while (std::fscanf(file, "%lu %lu %ld", &row.user, &row.other, &row.since_ms) == 3) {
    row.version = static_cast<std::int64_t>(rows.size()) + 1;
    rows.push_back(row);
  }
  std::fclose(file);
  return rows;
}

std::unique_ptr<sql::Connection> Connect(const fanfold::Dsn& dsn) {
  sql::ConnectOptionsMap options;
  options["hostName"] = "unix://" + dsn.socket;
  options["userName"] = dsn.user;
  options["password"] = dsn.password;
  options["schema"] = dsn.schema;
  std::unique_ptr<sql::Connection> connection(get_driver_instance()->connect(options));
  connection->setAutoCommit(false);
  return connection;
}

void UpsertAll(sql::Connection& connection, const std::string& table, const std::string& other,
               std::vector<Row> rows, std::size_t batch_rows) {
  const std::unique_ptr<sql::Statement> statement(connection.createStatement());
  std::string text;
  for (std::size_t start = 0; start < rows.size(); start += batch_rows) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(start);
    const auto last =
        rows.begin() + static_cast<std::ptrdiff_t>(std::min(rows.size(), start + batch_rows));
    std::sort(first, last, [](const Row& a, const Row& b) {
      return a.user != b.user ? a.user < b.user : a.other < b.other;
    });
    text = fmt::format("INSERT INTO {} (user_id, {}, active, since_ms, version) VALUES ", table,
                       other);
    for (auto row = first; row != last; ++row) {
      fmt::format_to(std::back_inserter(text), "{}({},{},1,{},{})", row == first ? "" : ",",
                     row->user, row->other, row->since_ms, row->version);
    }
    text +=
        " ON DUPLICATE KEY UPDATE active = VALUES(active), since_ms = VALUES(since_ms), "
        "version = VALUES(version)";
    statement->execute(text);
    connection.commit();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "raw_upsert DSN EDGES.tsv BATCH_ROWS\n");
    return 1;
  }
  try {
    const fanfold::Status migrated = fanfold::Migrate(argv[1], fanfold::Shard(0), {16, 1});
    const fanfold::Result<fanfold::Dsn> dsn = fanfold::ParseDsn(argv[1]);
    if (!migrated || !dsn) {
      std::fprintf(stderr, "raw_upsert: no tables at %s\n", argv[1]);
      return 1;
    }
    const std::vector<Row> following = ReadRows(argv[2]);
    std::vector<Row> fans = following;
    for (Row& row : fans) std::swap(row.user, row.other);
    const auto batch_rows = static_cast<std::size_t>(std::atoll(argv[3]));
    const auto first = Connect(*dsn);
    const auto second = Connect(*dsn);
    const auto start = std::chrono::steady_clock::now();
    std::thread fan_table([&] { UpsertAll(*second, "fans_g1", "fan_id", fans, batch_rows); });
    UpsertAll(*first, "following_g1", "target_id", following, batch_rows);
    fan_table.join();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const auto edges = static_cast<double>(following.size());
    fmt::print("{{\"rows\":{},\"seconds\":{:.2f},\"edges_per_second\":{:.0f}}}\n", following.size(),
               taken.count(), edges / taken.count());
  } catch (const sql::SQLException& error) {
    std::fprintf(stderr, "raw_upsert: %s\n", error.what());
    return 1;
  }
  return 0;
}
