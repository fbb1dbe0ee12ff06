// Makes an index that was dropped by hand.
#pragma once

#include <chrono>
#include <string>

#include "common/base/result.h"
#include "common/ports/environment.h"
#include "common/ports/schema_identity.h"

namespace fanfold {

[[nodiscard]] std::string MysqlIndexStatement(const TableIndex& index);

// Everybody who asks for the table meanwhile waits behind this wait for it.
inline constexpr std::chrono::seconds kTableWait{1};
inline constexpr std::chrono::seconds kTablePause{2};
// A wait that was in vain after so long was for the end of the statement, with the index built.
inline constexpr std::chrono::seconds kLongBuild{10};
// Such an index is built once more when the table can be had at once, and its end waits for longer
// than an audit's section: it would be in vain for ever.
inline constexpr std::chrono::seconds kTableWaitAtEnd{90};

// Beside live reads and writes. Blocks for as long as that takes, twice where the end was held up,
// each time at most half of kMigrationTimeoutMs, and kTableWaitAtEnd between. Requires: an index of
// DeclaredIndexes. Errors: kConflict, a transaction held the table for longer than kTableWait, as
// an audit's does: try again; kUnavailable, for longer than kTableWaitAtEnd behind a long build:
// try again when nothing does; kRefused, the table is not there; kInternal, an index of that name
// is there or the rows do not allow it. `check`: as MysqlOptions have it.
[[nodiscard]] Status AddMysqlIndex(const std::string& dsn, const TableIndex& index,
                                   const SchemaCheck& check,
                                   std::chrono::seconds long_build = kLongBuild);

}  // namespace fanfold
