#pragma once

#include <memory>

#include "common/mysql/connection.h"
#include "common/ports/inbox_store.h"

namespace fanfold::mysql {

// `connection` outlives it.
[[nodiscard]] std::unique_ptr<InboxStore> NewInboxTables(Connection& connection);
// Throws Failure.
[[nodiscard]] std::optional<InboxView> ReadInboxIn(Connection& connection,
                                                   const InboxQuestion& question);

}  // namespace fanfold::mysql
