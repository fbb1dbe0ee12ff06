#include "common/mysql/edge_rows.h"

#include <fmt/format.h>
#include <iterator>

#include "common/mysql/index_names.h"
#include "common/mysql/keyed_rows.h"
#include "common/mysql/sql_text.h"

namespace fanfold::mysql {

void AppendSelectEdges(std::string& sql, const TableNames& tables, std::span<const EdgeKey> keys) {
  sql += "WITH k (user_id, other_id) AS (VALUES ";
  AppendKeys(sql, keys);
  fmt::format_to(std::back_inserter(sql),
                 ") SELECT STRAIGHT_JOIN e.user_id, e.{0}, e.active, e.since_ms, e.version FROM k "
                 "JOIN {1} e FORCE INDEX ({2}) ON e.user_id = k.user_id AND e.{0} = k.other_id",
                 tables.other, tables.edges, kPrimaryIndex);
}

void AppendSelectLists(std::string& sql, const TableNames& tables, std::span<const UserId> users,
                       std::size_t rows_max) {
  sql += "WITH k (user_id) AS (VALUES ";
  AppendList(sql, users, ",", [](std::string& text, UserId user) {
    text += "/*!80019 ROW*/(";
    AppendNumber(text, user.value);
    text += ')';
  });
  fmt::format_to(std::back_inserter(sql),
                 ") SELECT STRAIGHT_JOIN e.user_id, e.{0}, e.active, e.since_ms, e.version FROM k "
                 "JOIN {1} e FORCE INDEX ({2}) ON e.user_id = k.user_id LIMIT {3}",
                 tables.other, tables.edges, kPrimaryIndex, rows_max);
}

void AppendSelectCounts(std::string& sql, const TableNames& tables, std::span<const UserId> users) {
  fmt::format_to(std::back_inserter(sql),
                 "SELECT user_id, n FROM {} FORCE INDEX ({}) WHERE user_id IN (", tables.counts,
                 kPrimaryIndex);
  AppendIds(sql, users);
  sql += ") ORDER BY user_id";
}

void AppendRow(std::string& text, const EdgeRow& row, char between) {
  AppendNumber(text, row.key.user.value);
  text += between;
  AppendNumber(text, row.key.other.value);
  text += between;
  text += row.edge.active ? '1' : '0';
  text += between;
  AppendNumber(text, row.edge.since_ms);
  text += between;
  AppendNumber(text, row.edge.version.value);
}

void AppendUpsertEdges(std::string& sql, const TableNames& tables, std::span<const EdgeRow> edges) {
  fmt::format_to(std::back_inserter(sql),
                 "INSERT INTO {} (user_id, {}, active, since_ms, version) VALUES ", tables.edges,
                 tables.other);
  AppendList(sql, edges, ",", [](std::string& text, const EdgeRow& write) {
    text += '(';
    AppendRow(text, write, ',');
    text += ')';
  });
  // Assignments see the columns assigned before them: version, which the guard reads, comes last.
  sql +=
      " ON DUPLICATE KEY UPDATE active = IF(VALUES(version) > version, VALUES(active), active), "
      "since_ms = IF(VALUES(version) > version, VALUES(since_ms), since_ms), "
      "version = GREATEST(version, VALUES(version))";
}

std::string LoadEdges(const TableNames& tables, const std::string& path) {
  return fmt::format(
      "LOAD DATA LOCAL INFILE '{}' REPLACE INTO TABLE {} CHARACTER SET ascii "
      "(user_id, {}, active, since_ms, version)",
      path, tables.edges, tables.other);
}

void AppendMoveCounts(std::string& sql, const TableNames& tables,
                      std::span<const CountWrite> counts) {
  fmt::format_to(std::back_inserter(sql), "INSERT INTO {} (user_id, n) VALUES ", tables.counts);
  AppendList(sql, counts, ",", [](std::string& text, const CountWrite& count) {
    text += '(';
    AppendNumber(text, count.user.value);
    text += ',';
    AppendNumber(text, count.delta);
    text += ')';
  });
  sql += " ON DUPLICATE KEY UPDATE n = n + VALUES(n)";
}

}  // namespace fanfold::mysql
