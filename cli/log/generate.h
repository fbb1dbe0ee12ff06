// `fanfold generate`
#pragma once

#include "cli/terminal/console.h"
#include "operations/generate/graph_generator.h"

namespace fanfold {

// Writes the graph to stdout as `fanfold import` reads it: TSV `subject object since_ms`, or with
// `json` a follow event a line. No deployment is needed.
[[nodiscard]] ExitCode RunGenerate(Console& console, const operations::GraphOptions& options,
                                   bool json);

}  // namespace fanfold
