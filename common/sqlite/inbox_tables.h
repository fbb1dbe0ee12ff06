#pragma once

#include <memory>
#include <optional>

#include "common/ports/inbox_store.h"
#include "common/sqlite/sqlite_tables.h"

namespace fanfold::sqlite {

[[nodiscard]] std::unique_ptr<InboxStore> NewInboxTables(std::shared_ptr<SqliteTables> tables);
// Throws Failure.
[[nodiscard]] std::optional<InboxView> ReadInboxIn(Connection& connection,
                                                   const InboxQuestion& question);

}  // namespace fanfold::sqlite
