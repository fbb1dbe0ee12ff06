// The baseline of the pipeline: the same rows, upserted bare into the following table, the fan
// table or both, each with its index, in the log's order, each batch sorted by primary key and
// committed. Each table has CONNECTIONS of its own, a thread each, which share its users. Or of
// posts, of lines author, post and score, each of 100 bytes.
// raw_upsert DSN EDGES.tsv BATCH_ROWS following|fans|both|posts CONNECTIONS: prints
// {"rows":…,"seconds":…,"edges_per_second":…}
#include <algorithm>
#include <chrono>
#include <cppconn/connection.h>
#include <cppconn/exception.h>
#include <cppconn/statement.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "bench/follow_rows.h"
#include "bench/raw_connection.h"
#include "common/mysql/dsn.h"
#include "common/mysql/migrations.h"

namespace {

using fanfold::bench::Connect;
using fanfold::bench::FollowRow;

struct Table {
  std::string_view columns;  // with its name: user, other, time, version, then what all rows share
  std::string_view shared;
  std::string_view time;
};

constexpr Table kFollowing{"following_g1 (user_id, target_id, since_ms, version, active)", "1",
                           "since_ms"};
constexpr Table kFans{"fans_g1 (user_id, fan_id, since_ms, version, active)", "1", "since_ms"};
constexpr Table kPosts{"posts_g1 (author_id, post_id, score, version, active, type, content)",
                       "1,0,'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'",
                       "score"};

// One thread's work.
struct Share {
  const Table& table;
  std::vector<FollowRow> rows;
  std::unique_ptr<sql::Connection> connection;
};

std::string UpsertText(const Table& table, std::span<const FollowRow> batch) {
  std::string text = fmt::format("INSERT INTO {} VALUES ", table.columns);
  char separator = ' ';
  for (const FollowRow& row : batch) {
    fmt::format_to(std::back_inserter(text), "{}({},{},{},{},{})", separator, row.user, row.other,
                   row.since_ms, row.version, table.shared);
    separator = ',';
  }
  text += fmt::format(
      " ON DUPLICATE KEY UPDATE active = VALUES(active), {0} = VALUES({0}), "
      "version = VALUES(version)",
      table.time);
  return text;
}

void UpsertAll(Share& share, std::size_t batch_rows) {
  const std::unique_ptr<sql::Statement> statement(share.connection->createStatement());
  const std::span<FollowRow> rows(share.rows);
  for (std::size_t start = 0; start < rows.size(); start += batch_rows) {
    const std::span<FollowRow> batch =
        rows.subspan(start, std::min(batch_rows, rows.size() - start));
    std::ranges::sort(batch, {},
                      [](const FollowRow& row) { return std::pair(row.user, row.other); });
    statement->execute(UpsertText(share.table, batch));
    share.connection->commit();
  }
}

struct Task {
  fanfold::Dsn dsn;
  std::vector<FollowRow> following;
  std::size_t batch_rows = 0;
  std::string tables;
  std::size_t connections = 0;  // of each table
};

void AddShares(std::vector<Share>& shares, const Task& task, const Table& table,
               bool swap_users = false) {
  const std::size_t first = shares.size();
  for (std::size_t i = 0; i < task.connections; ++i) {
    shares.push_back({table, {}, Connect(task.dsn)});
  }
  for (FollowRow row : task.following) {
    if (swap_users) std::swap(row.user, row.other);
    shares[first + row.user % task.connections].rows.push_back(row);
  }
}

// Seconds from the first statement to the last commit.
double Run(const Task& task) {
  std::vector<Share> shares;
  const bool both = task.tables == "both";
  if (both || task.tables == "following") AddShares(shares, task, kFollowing);
  if (both || task.tables == "fans") AddShares(shares, task, kFans, true);
  if (task.tables == "posts") AddShares(shares, task, kPosts);
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    threads.reserve(shares.size());
    for (Share& share : shares) {
      threads.emplace_back([&share, &task] { UpsertAll(share, task.batch_rows); });
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int Fail(const std::string& why) {
  std::fprintf(stderr, "raw_upsert: %s\n", why.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return Fail("DSN EDGES.tsv BATCH_ROWS following|fans|both|posts CONNECTIONS");
  try {
    const auto migrated = fanfold::Migrate(argv[1], fanfold::Shard(0), {16, 1});
    const fanfold::Result<fanfold::Dsn> dsn = fanfold::ParseDsn(argv[1]);
    if (!migrated || !dsn) return Fail(fmt::format("no tables at {}", argv[1]));
    const Task task{.dsn = *dsn,
                    .following = fanfold::bench::ReadFollowing(argv[2]),
                    .batch_rows = static_cast<std::size_t>(std::atoll(argv[3])),
                    .tables = argv[4],
                    .connections = static_cast<std::size_t>(std::atoll(argv[5]))};
    if (task.following.empty() || task.batch_rows == 0 || task.connections == 0) {
      return Fail("edges, batch and connections are at least one");
    }
    const double seconds = Run(task);
    fmt::print("{{\"rows\":{},\"seconds\":{:.2f},\"edges_per_second\":{:.0f}}}\n",
               task.following.size(), seconds,
               static_cast<double>(task.following.size()) / seconds);
  } catch (const sql::SQLException& error) {
    return Fail(error.what());
  }
  return 0;
}
