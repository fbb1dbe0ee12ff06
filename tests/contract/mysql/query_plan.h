// How the server goes about a statement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/mysql/connection.h"

namespace fanfold::testing {

struct PlanStep {
  std::string table;  // or its alias
  std::string type;
  std::string key;
  std::string key_bytes;  // so much of it is used
  std::string extra;
};

// To be called in Run.
inline std::vector<PlanStep> QueryPlan(mysql::Connection& connection, const std::string& sql) {
  auto version = connection.Query("SELECT VERSION()");
  const bool is_mysql = version.Next() && !version.Text(0).contains("MariaDB");
  // MySQL tells the partitions behind the table and, before the last column, what share is left.
  const std::uint32_t type = is_mysql ? 4 : 3;
  const std::uint32_t extra = is_mysql ? 11 : 9;
  std::vector<PlanStep> steps;
  auto rows = connection.Query("EXPLAIN FORMAT=TRADITIONAL " + sql);
  while (rows.Next()) {
    steps.push_back({rows.Text(2), rows.Text(type), rows.Text(type + 2), rows.Text(type + 3),
                     rows.Text(extra)});
  }
  return steps;
}

}  // namespace fanfold::testing
