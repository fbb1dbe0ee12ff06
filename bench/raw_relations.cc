// The baseline of a cold relation check: the statement that a reader without memory sends, by the
// same connector on one connection, timed alone.
// raw_relations DSN REQUESTS: a line of REQUESTS is `USER TARGET,TARGET,…`. All are asked twice,
// the second time timed, so that the server has their pages in memory. Prints
// {"queries":…,"rows":…,"p50_ms":…,"p99_ms":…}
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "common/mysql/connection.h"
#include "common/mysql/dsn.h"
#include "common/mysql/reader_queries.h"

namespace {

using namespace fanfold;

std::uint64_t Number(std::string_view text) {
  return std::strtoull(std::string(text).c_str(), nullptr, 10);
}

std::vector<std::string> ReadStatements(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> statements;
  std::uint64_t user = 0;
  for (std::string ids; file >> user >> ids;) {
    std::vector<UserId> targets;
    for (const auto id : ids | std::views::split(',')) {
      targets.emplace_back(Number(std::string_view(id)));
    }
    statements.push_back(mysql::RelationsQuery(ReadGenerations{}, UserId(user), targets).sql);
  }
  return statements;
}

// Rows read.
std::uint64_t Ask(mysql::Connection& connection, const std::string& statement) {
  std::uint64_t count = 0;
  for (mysql::Rows rows = connection.Query(statement); rows.Next();) ++count;
  return count;
}

void AskAll(mysql::Connection& connection, const std::vector<std::string>& statements) {
  std::vector<double> times_ms;
  std::uint64_t rows = 0;
  for (const std::string& statement : statements) {
    const auto start = std::chrono::steady_clock::now();
    rows += Ask(connection, statement);
    const auto end = std::chrono::steady_clock::now();
    times_ms.push_back(std::chrono::duration<double, std::milli>(end - start).count());
  }
  std::ranges::sort(times_ms);
  fmt::print("{{\"queries\":{},\"rows\":{},\"p50_ms\":{:.4f},\"p99_ms\":{:.4f}}}\n",
             times_ms.size(), rows, times_ms[times_ms.size() / 2],
             times_ms[times_ms.size() * 99 / 100]);
}

int Fail(const std::string& why) {
  std::fprintf(stderr, "raw_relations: %s\n", why.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return Fail("DSN REQUESTS");
  const Result<Dsn> dsn = ParseDsn(argv[1]);
  const std::vector<std::string> statements = ReadStatements(argv[2]);
  if (!dsn || statements.empty()) return Fail("no DSN, or no requests");
  // All of it is one call.
  constexpr mysql::TimeLimits kLimits{.call_ms = 600'000};
  mysql::Connection connection(*dsn, kLimits);
  const auto asked = connection.Run([&] {
    for (const std::string& statement : statements) Ask(connection, statement);
    AskAll(connection, statements);
  });
  return asked ? 0 : Fail(asked.error().message);
}
