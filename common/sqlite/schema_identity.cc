#include "common/sqlite/schema_identity.h"

#include "common/sql/schema_identity.h"
#include "common/sqlite/sqlite_tables.h"

namespace fanfold {
namespace sqlite {

std::optional<SchemaIdentity> ReadIdentity(Connection& connection) {
  Statement select = connection.Prepare(SelectIdentity());
  if (!select.Next()) return std::nullopt;
  return ReadIdentityRow(select);
}

}  // namespace sqlite

Result<std::optional<SchemaIdentity>> ReadSqliteIdentity(SqliteTables& tables) {
  return tables.Write([](sqlite::Connection& connection, std::int64_t) {
    return sqlite::ReadIdentity(connection);
  });
}

Status RenewSqliteIdentity(SqliteTables& tables, const DeploymentId& from, const DeploymentId& to) {
  return tables.Write([&](sqlite::Connection& connection, std::int64_t) {
    const sqlite::DurableCommits durable(connection);
    const std::int64_t renewed = connection.Execute(
        "UPDATE schema_identity SET deployment = ?1, renewed_from = ?2 WHERE id = 1 AND deployment "
        "= ?2",
        to.text(), from.text());
    CheckRenewed(static_cast<std::uint64_t>(renewed), from);
  });
}

}  // namespace fanfold
