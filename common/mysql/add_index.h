// Makes an index that was dropped by hand.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/ports/environment.h"
#include "common/ports/schema_identity.h"

namespace fanfold {

[[nodiscard]] std::string MysqlIndexStatement(const TableIndex& index);

// Whoever asks for the table meanwhile stands behind this wait for it.
inline constexpr int kTableWaitS = 1;
// One that took long to build, and whose end somebody held up, is built once more and waits for
// longer than an audit's section: it would end in vain for ever.
inline constexpr int kTableWaitAtEndS = 90;

// Beside live reads and writes; blocks for as long as that takes, at most kMigrationTimeoutMs.
// Requires: an index of DeclaredIndexes. Errors: kConflict, a transaction held the table for longer
// than kTableWaitS, as an audit's does: try again; kRefused, the table is not there; kInternal, an
// index of that name is there or the rows do not allow it. `check`: as MysqlOptions have it.
[[nodiscard]] Status AddMysqlIndex(const std::string& dsn, const TableIndex& index,
                                   const SchemaCheck& check);

}  // namespace fanfold
