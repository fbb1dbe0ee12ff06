// Makes the tables of a shard, and brings them up to this build.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/sql/migration_plan.h"
#include "common/stream/ids.h"

namespace fanfold {

// Creates the schema where it is missing, runs the numbered migrations it has not had yet, and puts
// the catalog on shard 0. Two at once are fine: one waits, at most kMigrationLockWaitS. Running it
// again changes nothing. Errors: kRefused when the catalog there says other partitions or shards,
// or the schema is shard 0's and `shard` is another, or it holds migrations that this build does
// not know; kInvalidArgument; kUnavailable, kConflict: run it again.
[[nodiscard]] Status Migrate(const std::string& dsn, Shard shard, const CatalogSeed& seed);

inline constexpr std::int64_t kMigrationLockWaitS = 30;
// The longest a migration may take, in all and per statement.
inline constexpr std::int64_t kMigrationTimeoutMs = 3'600'000;

}  // namespace fanfold
