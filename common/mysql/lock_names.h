// Names of the server's user locks. Hashed here as the server's MD5() and SHA1() do, which MySQL 9
// lacks: builds that ask the server for it meet the same lock. Inside common/mysql only.
#pragma once

#include <string>
#include <string_view>

#include "common/ports/lane.h"

namespace fanfold::mysql {

// At most 64 characters each, as the server wants.
[[nodiscard]] std::string MigrationLockName(std::string_view schema);
// The lock of the process that makes or drops generations of this projection.
[[nodiscard]] std::string GenerationsLockName(std::string_view schema, Projection projection);

}  // namespace fanfold::mysql
