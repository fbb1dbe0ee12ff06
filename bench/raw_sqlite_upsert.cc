// The baseline of the embedded mode: the same rows, upserted bare into both tables with their
// indexes, in the log's order: each batch sorted by primary key, in a transaction of its own, by
// one prepared statement of many rows a table; on one connection, set up as the tables' own is.
// raw_sqlite_upsert FILE EDGES.tsv BATCH_ROWS: prints {"rows":…,"seconds":…,"edges_per_second":…}
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/follow_rows.h"
#include "common/base/clock.h"
#include "common/sqlite/sqlite_store.h"

namespace {

using fanfold::bench::FollowRow;

constexpr std::string_view kSetUp =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -262144; "
    "PRAGMA wal_autocheckpoint = 8192";

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

void Check(const Database& database, int result) {
  if (result == SQLITE_OK || result == SQLITE_DONE) return;
  throw std::runtime_error(sqlite3_errmsg(database.get()));
}

void Run(const Database& database, std::string_view text) {
  Check(database,
        sqlite3_exec(database.get(), std::string(text).c_str(), nullptr, nullptr, nullptr));
}

Database Open(const char* path) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);  // as the embedded mode has it
  sqlite3* opened = nullptr;
  const int result =
      sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(opened);
  Check(database, result);
  Run(database, kSetUp);
  return database;
}

// Upserts batches of up to `batch_rows` into one table.
class Upsert {
 public:
  Upsert(const Database& database, std::string table, std::string other, std::size_t batch_rows)
      : database_(database),
        table_(std::move(table)),
        other_(std::move(other)),
        rows_(batch_rows),
        statement_(Prepare(batch_rows)) {}

  void Write(std::span<FollowRow> batch) {
    std::ranges::sort(batch, {},
                      [](const FollowRow& row) { return std::pair(row.user, row.other); });
    // The last batch is shorter.
    if (batch.size() != rows_) statement_ = Prepare(rows_ = batch.size());
    int at = 0;
    for (const FollowRow& row : batch) {
      Bind(++at, static_cast<std::int64_t>(row.user));
      Bind(++at, static_cast<std::int64_t>(row.other));
      Bind(++at, 1);
      Bind(++at, row.since_ms);
      Bind(++at, row.version);
    }
    Check(database_, sqlite3_step(statement_.get()));
    Check(database_, sqlite3_reset(statement_.get()));
  }

 private:
  Statement Prepare(std::size_t rows) {
    std::string text = fmt::format(
        "INSERT INTO {} (user_id, {}, active, since_ms, version) VALUES ", table_, other_);
    for (std::size_t i = 0; i < rows; ++i) text += i == 0 ? "(?,?,?,?,?)" : ",(?,?,?,?,?)";
    text +=
        " ON CONFLICT DO UPDATE SET active = excluded.active, since_ms = excluded.since_ms, "
        "version = excluded.version";
    sqlite3_stmt* prepared = nullptr;
    Check(database_, sqlite3_prepare_v3(database_.get(), text.c_str(), -1,
                                        SQLITE_PREPARE_PERSISTENT, &prepared, nullptr));
    return Statement(prepared);
  }

  void Bind(int at, std::int64_t number) {
    Check(database_, sqlite3_bind_int64(statement_.get(), at, number));
  }

  const Database& database_;
  const std::string table_;
  const std::string other_;
  std::size_t rows_;
  Statement statement_;
};

// Seconds from the first statement to the last commit.
double UpsertAll(const Database& database, std::span<FollowRow> follows, std::size_t batch_rows) {
  const auto start = std::chrono::steady_clock::now();
  Upsert following(database, "following_g1", "target_id", batch_rows);
  Upsert fans(database, "fans_g1", "fan_id", batch_rows);
  while (!follows.empty()) {
    const std::span<FollowRow> batch = follows.first(std::min(batch_rows, follows.size()));
    follows = follows.subspan(batch.size());
    Run(database, "BEGIN IMMEDIATE");
    following.Write(batch);
    for (FollowRow& row : batch) std::swap(row.user, row.other);
    fans.Write(batch);
    Run(database, "COMMIT");
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int Fail(std::string_view why) {
  std::fprintf(stderr, "raw_sqlite_upsert: %s\n", std::string(why).c_str());
  return 1;
}

bool MakeTables(const char* path) {
  const fanfold::SystemClock clock;
  return fanfold::OpenSqliteTables(path, fanfold::Shard(0), {16, 1}, clock).has_value();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return Fail("FILE EDGES.tsv BATCH_ROWS");
  if (!MakeTables(argv[1])) return Fail("no tables");
  std::vector<FollowRow> follows = fanfold::bench::ReadFollowing(argv[2]);
  const auto batch_rows = static_cast<std::size_t>(std::atoll(argv[3]));
  if (follows.empty() || batch_rows == 0) return Fail("edges and batch are at least one");
  try {
    const Database database = Open(argv[1]);
    const double seconds = UpsertAll(database, follows, batch_rows);
    fmt::print("{{\"rows\":{},\"seconds\":{:.3f},\"edges_per_second\":{:.0f}}}\n", follows.size(),
               seconds, static_cast<double>(follows.size()) / seconds);
  } catch (const std::runtime_error& error) {
    return Fail(error.what());
  }
  return 0;
}
