// `fanfold generate`
#pragma once

#include "cli/console.h"
#include "cli/graph_generator.h"

namespace fanfold {

// Writes the graph to stdout as TSV `subject object since_ms`. No deployment is needed.
[[nodiscard]] ExitCode RunGenerate(Console& console, const GraphOptions& options);

}  // namespace fanfold
