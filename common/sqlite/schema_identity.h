// The shard and deployment that a file belongs to.
#pragma once

#include <memory>
#include <optional>

#include "common/base/result.h"
#include "common/ports/schema_identity.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/sqlite_store.h"

namespace fanfold {
namespace sqlite {

// Nothing when no row says it. Throws Failure.
[[nodiscard]] std::optional<SchemaIdentity> ReadIdentity(Connection& connection);

}  // namespace sqlite

// Errors: kUnavailable, kRefused.
[[nodiscard]] Result<std::optional<SchemaIdentity>> ReadSqliteIdentity(SqliteTables& tables);

// The tables are of `to` from now on. Errors: kConflict, they are not of `from`; kUnavailable.
[[nodiscard]] Status RenewSqliteIdentity(SqliteTables& tables, const DeploymentId& from,
                                         const DeploymentId& to);

}  // namespace fanfold
