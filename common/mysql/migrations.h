// Makes the tables of a shard, and brings them up to this build.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/base/deployment_id.h"
#include "common/base/result.h"
#include "common/sql/migration_plan.h"
#include "common/stream/ids.h"

namespace fanfold {

// Creates the schema where it is missing, runs the numbered migrations it has not had yet, puts the
// catalog on shard 0, and writes which shard of which deployment it is: `known`, else the one that
// the schema names, else a new one. Returns the deployment. Two at once are fine: one waits, at
// most kMigrationLockWaitS. Running it again changes nothing. Errors: kRefused when the schema says
// it is another's, or its catalog says other partitions or shards, or it is shard 0's and `shard`
// is another, or it holds migrations that this build does not know; kInvalidArgument; kUnavailable,
// kConflict: run it again.
[[nodiscard]] Result<DeploymentId> Migrate(const std::string& dsn, Shard shard, const Shape& seed,
                                           const std::optional<DeploymentId>& known = {});

inline constexpr std::int64_t kMigrationLockWaitS = 30;
// The longest a migration may take, in all and per statement.
inline constexpr std::int64_t kMigrationTimeoutMs = 3'600'000;

}  // namespace fanfold
