// The table of erasures, for those who move them. Internal to the adapter.
#pragma once

#include <memory>

#include "common/mysql/connection.h"
#include "common/ports/profile_erasure.h"

namespace fanfold::mysql {

// A number of 52 bits, drawn.
inline constexpr const char* kDrawn = "FLOOR(RAND() * 4503599627370496)";

// `connection` outlives it.
[[nodiscard]] std::unique_ptr<ErasureStore> NewErasures(Connection& connection);

}  // namespace fanfold::mysql
