// The edge and count tables of a generation: statements of many rows.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/ports/edge_store.h"
#include "common/sql/table_names.h"

namespace fanfold::mysql {

// SELECT user, other, active, since_ms, version of those that exist, in no promised order.
void AppendSelectEdges(std::string& sql, const TableNames& tables, std::span<const EdgeKey> keys);
// SELECT user, other, active, since_ms, version of every row of these users, at most rows_max, in
// no promised order.
void AppendSelectLists(std::string& sql, const TableNames& tables, std::span<const UserId> users,
                       std::size_t rows_max);
// SELECT user, n of those that exist, by user.
void AppendSelectCounts(std::string& sql, const TableNames& tables, std::span<const UserId> users);
// The row's columns in the order of the tables', `between` them.
void AppendRow(std::string& text, const EdgeRow& row, char between);
// A row that is there already changes only to a higher version.
void AppendUpsertEdges(std::string& sql, const TableNames& tables, std::span<const EdgeRow> edges);
// A row that is there already is replaced; `path` is a file of rows, of the client's.
[[nodiscard]] std::string LoadEdges(const TableNames& tables, const std::string& path);
void AppendMoveCounts(std::string& sql, const TableNames& tables,
                      std::span<const CountWrite> counts);

}  // namespace fanfold::mysql
