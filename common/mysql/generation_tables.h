// The statements that make, load and drop a generation. Each may be run again.
#pragma once

#include <string>
#include <vector>

#include "common/ports/lane.h"

namespace fanfold::mysql {

// Tables like the first generation's, without the index for pages.
[[nodiscard]] std::vector<std::string> MakeTables(ProjectionKind projection, Generation generation);
[[nodiscard]] std::vector<std::string> CountRows(ProjectionKind projection, Generation generation);
[[nodiscard]] std::string MakePageIndex(ProjectionKind projection, Generation generation);
[[nodiscard]] std::vector<std::string> DropTables(ProjectionKind projection, Generation generation);

}  // namespace fanfold::mysql
