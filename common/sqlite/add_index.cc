#include "common/sqlite/add_index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/sqlite/connection.h"

namespace fanfold {

std::string SqliteIndexStatement(const TableIndex& index) {
  return fmt::format("CREATE INDEX {} ON {} ({})", index.name, index.table,
                     fmt::join(index.columns, ", "));
}

Status AddSqliteIndex(const std::string& path, const TableIndex& index) {
  if (index.name == kPrimaryName)
    return Fail(ErrorCode::kRefused, "a primary key is made with its table");
  return ResultOf([&] {
    sqlite::Connection connection(path, {.timeout_ms = kIndexTimeoutMs});
    connection.Execute(SqliteIndexStatement(index));
  });
}

}  // namespace fanfold
