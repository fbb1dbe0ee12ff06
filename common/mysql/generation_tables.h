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
[[nodiscard]] std::vector<GenerationRow> ReadGenerations(Connection& connection,
                                                         std::string_view locking);

// Tables like the first generation's, without the index for pages.
[[nodiscard]] std::vector<std::string> MakeTables(ProjectionKind projection, Generation generation);
[[nodiscard]] std::vector<std::string> CountRows(ProjectionKind projection, Generation generation);
[[nodiscard]] std::string MakePageIndex(ProjectionKind projection, Generation generation);
// What was parked stays listed, whatever becomes of the generation; once is enough.
[[nodiscard]] std::string ForgetParkedTwice(ProjectionKind projection, Generation generation);
[[nodiscard]] std::vector<std::string> DropTables(ProjectionKind projection, Generation generation);

}  // namespace fanfold::mysql
