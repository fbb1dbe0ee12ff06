// Makes the tables of a shard, and brings them up to this build.
#pragma once

#include <cstdint>

#include "common/sql/migration_plan.h"
#include "common/sqlite/connection.h"
#include "common/stream/ids.h"

namespace fanfold::sqlite {

// In one transaction; running it again changes nothing. Throws Failure.
void Migrate(Connection& connection, Shard shard, const CatalogSeed& seed, std::int64_t now_ms);

}  // namespace fanfold::sqlite
