// `fanfold generate`
#pragma once

#include "cli/terminal/console.h"
#include "operations/generate/graph_generator.h"

namespace fanfold {

// Writes the graph to stdout as TSV `subject object since_ms`. No deployment is needed.
[[nodiscard]] ExitCode RunGenerate(Console& console, const operations::GraphOptions& options);

}  // namespace fanfold
