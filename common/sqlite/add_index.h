// Makes an index that was dropped by hand.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/ports/environment.h"

namespace fanfold {

[[nodiscard]] std::string SqliteIndexStatement(const TableIndex& index);

inline constexpr std::int64_t kIndexTimeoutMs = 3'600'000;

// In the tables' file, whoever serves it; its writers wait meanwhile. Blocks for at most
// kIndexTimeoutMs. Requires: an index of DeclaredIndexes. Errors: kRefused, a primary key cannot be
// made; SQLite's.
[[nodiscard]] Status AddSqliteIndex(const std::string& path, const TableIndex& index);

}  // namespace fanfold
