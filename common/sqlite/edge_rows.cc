#include "common/sqlite/edge_rows.h"

#include <fmt/format.h>

namespace fanfold::sqlite {

std::string SelectEdgeText(const TableNames& tables) {
  return fmt::format("SELECT active, since_ms, version FROM {} WHERE user_id = ?1 AND {} = ?2",
                     tables.edges, tables.other);
}

std::string SelectListText(const TableNames& tables) {
  return fmt::format(
      "SELECT {0}, active, since_ms, version FROM {1} WHERE user_id = ?1 ORDER BY {0} LIMIT ?2",
      tables.other, tables.edges);
}

std::string SelectCountText(const TableNames& tables) {
  return fmt::format("SELECT n FROM {} WHERE user_id = ?1", tables.counts);
}

LoadedRows LoadRows(Connection& connection, const TableNames& tables,
                    std::span<const EdgeKey> edges, std::span<const UserId> users) {
  LoadedRows rows{std::vector<Edge>(edges.size()), std::vector<EdgeCount>(users.size())};
  Statement select_edge = connection.Prepare(SelectEdgeText(tables));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    select_edge.Bind(edges[i].user.value, edges[i].other.value);
    if (!select_edge.Next()) continue;
    rows.edges[i] = {select_edge.I64(0) != 0, select_edge.I64(1), Version(select_edge.I64(2))};
  }
  Statement select_count = connection.Prepare(SelectCountText(tables));
  for (std::size_t i = 0; i < users.size(); ++i) {
    select_count.Bind(users[i].value);
    if (select_count.Next()) rows.counts[i] = EdgeCount(select_count.I64(0));
  }
  return rows;
}

std::optional<std::vector<EdgeRow>> LoadLists(Connection& connection, const TableNames& tables,
                                              std::span<const UserId> users, std::size_t rows_max) {
  std::vector<EdgeRow> found;
  Statement select = connection.Prepare(SelectListText(tables));
  for (const UserId user : users) {
    select.Bind(user.value, static_cast<std::int64_t>(rows_max + 1 - found.size()));
    while (select.Next()) {
      found.push_back({{user, UserId(select.U64(0))},
                       {select.I64(1) != 0, select.I64(2), Version(select.I64(3))}});
    }
    if (found.size() > rows_max) return std::nullopt;
  }
  return found;
}

void UpsertEdges(Connection& connection, const TableNames& tables, std::span<const EdgeRow> edges) {
  Statement upsert = connection.Prepare(fmt::format(
      "INSERT INTO {0} (user_id, {1}, active, since_ms, version) VALUES (?1, ?2, ?3, ?4, ?5) "
      "ON CONFLICT DO UPDATE SET active = excluded.active, since_ms = excluded.since_ms, version = "
      "excluded.version WHERE excluded.version > {0}.version",
      tables.edges, tables.other));
  for (const EdgeRow& write : edges) {
    upsert
        .Bind(write.key.user.value, write.key.other.value, write.edge.active, write.edge.since_ms,
              write.edge.version.value)
        .Execute();
  }
}

void MoveCounts(Connection& connection, const TableNames& tables,
                std::span<const CountWrite> counts) {
  Statement move = connection.Prepare(
      fmt::format("INSERT INTO {} (user_id, n) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET n = n + "
                  "excluded.n",
                  tables.counts));
  for (const CountWrite& count : counts) move.Bind(count.user.value, count.delta).Execute();
}

}  // namespace fanfold::sqlite
