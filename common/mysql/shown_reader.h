#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "common/mysql/connection.h"
#include "common/ports/shown_reader.h"

namespace fanfold::mysql {

[[nodiscard]] std::unique_ptr<ShownReader> NewShownReader(Projection projection,
                                                          Connection& connection);

// Statements of the table of that name.
// Columns as TakeShown has them.
[[nodiscard]] std::string SelectShown(const std::string& table, UserId owner, Version before,
                                      std::size_t rows);
void AppendSelectWereShown(std::string& sql, const std::string& table, UserId owner,
                           std::span<const RowKey> posts);

}  // namespace fanfold::mysql
