// Makes the tables of a shard, and brings them up to this build.
#pragma once

#include <cstdint>
#include <optional>

#include "common/base/deployment_id.h"
#include "common/sql/migration_plan.h"
#include "common/sqlite/connection.h"
#include "common/stream/ids.h"

namespace fanfold::sqlite {

// In one transaction; running it again changes nothing. `known`: as the migration of MySQL takes
// it. Throws Failure.
void Migrate(Connection& connection, Shard shard, const Shape& seed,
             const std::optional<DeploymentId>& known, std::int64_t now_ms);

}  // namespace fanfold::sqlite
