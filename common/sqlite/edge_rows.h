// The edge and count tables of a generation: one short statement a row, prepared once. Within a
// process that beats statements of many rows, whose text has to be made and compiled each time.
// Calls throw Failure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/sql/table_names.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

[[nodiscard]] LoadedRows LoadRows(Connection& connection, const TableNames& tables,
                                  std::span<const EdgeKey> edges, std::span<const UserId> users);
// Every row of these users, by key; nothing when there are more than rows_max.
[[nodiscard]] std::optional<std::vector<EdgeRow>> LoadLists(Connection& connection,
                                                            const TableNames& tables,
                                                            std::span<const UserId> users,
                                                            std::size_t rows_max);
// A row that is there already changes only to a higher version.
void UpsertEdges(Connection& connection, const TableNames& tables, std::span<const EdgeRow> edges);
void MoveCounts(Connection& connection, const TableNames& tables,
                std::span<const CountWrite> counts);

// The statements, for the test that looks at their plans.
[[nodiscard]] std::string SelectEdgeText(const TableNames& tables);
[[nodiscard]] std::string SelectListText(const TableNames& tables);
[[nodiscard]] std::string SelectCountText(const TableNames& tables);

}  // namespace fanfold::sqlite
