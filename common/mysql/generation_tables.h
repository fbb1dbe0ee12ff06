// The rows of the table generations, and the statements that drop one. Each may be run again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/mysql/connection.h"
#include "common/ports/generation_operations.h"

namespace fanfold::mysql {

// By projection and generation. `locking` ends the SELECT.
[[nodiscard]] std::vector<GenerationRow> GenerationRows(Connection& connection,
                                                        std::string_view locking);

// Parked records stay listed, whatever becomes of the generation; once is enough.
[[nodiscard]] std::string ForgetParkedTwice(Projection projection, Generation generation);
[[nodiscard]] std::vector<std::string> DropTables(Projection projection, Generation generation);

}  // namespace fanfold::mysql
