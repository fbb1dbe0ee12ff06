// The rows of the table generations, and the statements that make, load and drop one. Each may be
// run again.
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

// Tables like the first generation's, without the index for pages.
[[nodiscard]] std::vector<std::string> MakeTables(Projection projection, Generation generation);
[[nodiscard]] std::vector<std::string> CountRows(Projection projection, Generation generation);
[[nodiscard]] std::string MakePageIndex(Projection projection, Generation generation);
// What was parked stays listed, whatever becomes of the generation; once is enough.
[[nodiscard]] std::string ForgetParkedTwice(Projection projection, Generation generation);
[[nodiscard]] std::vector<std::string> DropTables(Projection projection, Generation generation);

}  // namespace fanfold::mysql
