// Recognizes a schema of any release, and gives a copy its id.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/mysql/connection.h"
#include "common/ports/schema_identity.h"

namespace fanfold {
namespace mysql {

// Nothing when no row says it. Throws Failure.
[[nodiscard]] std::optional<SchemaIdentity> ReadIdentity(Connection& connection);

}  // namespace mysql

// A schema that is missing has left none. Errors: kInvalidArgument, kRefused, kUnavailable.
[[nodiscard]] Result<SchemaTraces> LookAtMysqlSchema(const std::string& dsn);

// The schema is of `to` from now on. Errors: kConflict, it is not of `from`; kInvalidArgument,
// kRefused, kUnavailable; kUnknown: look.
[[nodiscard]] Status RenewMysqlIdentity(const std::string& dsn, const DeploymentId& from,
                                        const DeploymentId& to);

// How many sessions use the schema, as far as the user may see them.
[[nodiscard]] Result<std::int64_t> SessionsOnMysql(const std::string& dsn);

}  // namespace fanfold
