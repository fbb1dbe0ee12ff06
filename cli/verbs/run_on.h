// Any verb on a deployment that is open.
#pragma once

#include "cli/command_line/command_line.h"
#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/how_to_call.h"
#include "operations/base/backend.h"
#include "operations/base/interrupt.h"

namespace fanfold {

// The wait that folds a folder, which nobody else folds, to its log's end.
inline constexpr WaitOptions kFoldToTheEnd{
    .timeout_ms = 7LL * 24 * 3600 * 1000, .quiet = true, .passes_stopped = true};

inline constexpr WaitOptions kFoldForDoctor{
    .timeout_ms = 30'000, .quiet = true, .passes_stopped = true};

// Blocks until it has ended, or was interrupted. `folds_here`: nobody else folds the deployment, so
// it is folded to its log's end before the verb, and after one that leaves more to fold.
[[nodiscard]] ExitCode RunOn(operations::Backend& backend, bool folds_here,
                             const CommandLine& command, HowToCall calls, Console& console,
                             operations::Interrupt& interrupt);

// `init` looks for itself, since there may be none yet; `doctor` and `identity` tell what is wrong
// with them.
[[nodiscard]] operations::Reach ReachOf(const Verb& verb);

}  // namespace fanfold
