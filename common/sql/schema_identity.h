// The table schema_identity, and what a migration makes of it. Throw Failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/ports/schema_identity.h"
#include "common/sql/migration_plan.h"

namespace fanfold {

// The columns of ReadIdentityRow, in its order, of schema_identity i.
inline constexpr std::string_view kIdentityColumns =
    "i.deployment, i.renewed_from, i.shard, i.partitions, i.shards";

[[nodiscard]] std::string SelectIdentity();

// Throws kRefused when it is none.
[[nodiscard]] DeploymentId DeploymentNamed(std::string_view text);

// From the current row of an adapter's answer, whose columns of the identity begin at kFirst.
template <int kFirst = 0, class Rows>
[[nodiscard]] SchemaIdentity ReadIdentityRow(const Rows& rows) {
  SchemaIdentity identity{DeploymentNamed(rows.Text(kFirst)),
                          std::nullopt,
                          Shard(rows.I32(kFirst + 2)),
                          {rows.I32(kFirst + 3), rows.I32(kFirst + 4)}};
  if (!rows.IsNull(kFirst + 1)) identity.renewed_from = DeploymentNamed(rows.Text(kFirst + 1));
  return identity;
}

// The identity that has to be written; nothing where the schema says it already. Where no
// deployment is known, it is the one that the schema says, or a new one. Throws kRefused, the
// schema is another's.
[[nodiscard]] std::optional<SchemaIdentity> IdentityToWrite(
    const std::optional<SchemaIdentity>& there, Shard shard, const Shape& asked,
    const std::optional<DeploymentId>& known);

// `rows`: how many a renewal has changed. Throws kConflict.
void CheckRenewed(std::uint64_t rows, const DeploymentId& from);

// Throws what the check says.
void CheckSays(const SchemaCheck& check, const std::optional<SchemaIdentity>& says);

}  // namespace fanfold
