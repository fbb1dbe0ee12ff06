// What would be done without a log: each follow is one transaction of two rows and two counts, in
// the tables that Fanfold has. As many threads as clients, a connection each.
// everyday_transaction DSN FIRST SECONDS CLIENTS PER_SECOND, as everyday.h says; prints WriteTimes'
// JSON, refused_409: transactions that were a deadlock's victim and were tried again.
#include <array>
#include <atomic>
#include <cppconn/connection.h>
#include <cppconn/exception.h>
#include <cppconn/statement.h>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/everyday.h"
#include "bench/raw_connection.h"
#include "common/mysql/dsn.h"
#include "common/mysql/migrations.h"

namespace {

using namespace fanfold::bench;

constexpr int kDeadlock = 1213;
constexpr int kConflict = 409;

struct Work {
  EverydayLoad load;
  EverydayFollows follows;
  EverydaySchedule schedule;
  std::atomic<std::uint64_t> taken{0};
};

// One thread's.
struct Client {
  std::unique_ptr<sql::Connection> connection;
  WriteTimes times;
};

std::array<std::string, 4> Statements(const Follow& follow, std::uint64_t version) {
  static constexpr std::string_view kEdge =
      "INSERT INTO {} (user_id, {}, active, since_ms, version) VALUES ({},{},1,{},{}) ON DUPLICATE "
      "KEY UPDATE active = 1, since_ms = VALUES(since_ms), version = VALUES(version)";
  static constexpr std::string_view kCount =
      "INSERT INTO {} (user_id, n) VALUES ({},1) ON DUPLICATE KEY UPDATE n = n + 1";
  const std::int64_t now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
  return {
      fmt::format(kEdge, "following_g1", "target_id", follow.user, follow.other, now_ms, version),
      fmt::format(kEdge, "fans_g1", "fan_id", follow.other, follow.user, now_ms, version),
      fmt::format(kCount, "following_count_g1", follow.user),
      fmt::format(kCount, "fan_count_g1", follow.other)};
}

void Write(Client& client, sql::Statement& statement, const std::array<std::string, 4>& texts) {
  for (;;) {
    try {
      for (const std::string& text : texts) statement.execute(text);
      return client.connection->commit();
    } catch (const sql::SQLException& error) {
      if (error.getErrorCode() != kDeadlock) throw;
      client.times.Refused(kConflict);
      client.connection->rollback();
    }
  }
}

void Run(Client& client, Work& work) {
  const std::unique_ptr<sql::Statement> statement(client.connection->createStatement());
  for (;;) {
    const std::uint64_t index = work.taken++;
    const Clock::time_point due = work.schedule.Due(index, Clock::now());
    if (due >= work.schedule.end()) return;
    std::this_thread::sleep_until(due);
    if (Clock::now() >= work.schedule.closed()) {
      client.times.Left(due, work.schedule.end());
      continue;
    }
    const std::uint64_t number = work.load.first_follow + index;
    Write(client, *statement, Statements(work.follows[number], number));
    client.times.Seen(due, Clock::now());
  }
}

void RunOrEnd(Client& client, Work& work) {
  try {
    Run(client, work);
  } catch (const sql::SQLException& error) {
    fmt::print(stderr, "everyday_transaction: {}\n", error.what());
    std::_Exit(1);
  }
}

std::string Measure(const fanfold::Dsn& dsn, const EverydayLoad& load) {
  std::vector<Client> clients(load.clients);
  for (Client& client : clients) client.connection = Connect(dsn);
  Work work{.load = load, .follows = {}, .schedule = EverydaySchedule(load)};
  {
    std::vector<std::jthread> threads;
    threads.reserve(clients.size());
    for (Client& client : clients) threads.emplace_back([&] { RunOrEnd(client, work); });
  }
  WriteTimes all;
  for (const Client& client : clients) all.Add(client.times);
  return all.Json(work.schedule.start());
}

int Fail(const std::string& why) {
  fmt::print(stderr, "everyday_transaction: {}\n", why);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 + EverydayLoad::kArguments) return Fail("DSN FIRST SECONDS CLIENTS PER_SECOND");
  try {
    const auto migrated = fanfold::Migrate(argv[1], fanfold::Shard(0), {16, 1});
    const fanfold::Result<fanfold::Dsn> dsn = fanfold::ParseDsn(argv[1]);
    if (!migrated || !dsn) return Fail(fmt::format("no tables at {}", argv[1]));
    std::puts(Measure(*dsn, EverydayLoad::Parse(argv + 2)).c_str());
  } catch (const std::exception& error) {
    return Fail(error.what());
  }
  return 0;
}
