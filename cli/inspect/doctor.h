// `fanfold doctor`
#pragma once

#include "cli/terminal/session.h"

namespace fanfold {

struct DoctorOptions {
  bool fix = false;  // does what can be done without a choice, once it is shown
  bool yes = false;  // asks nobody first
};

// Says what to do about each thing that is not as it should be. kDifferent when there is a problem,
// kError when something cannot be looked at; the rest is told all the same.
[[nodiscard]] ExitCode RunDoctor(Session& session, const DoctorOptions& options);

}  // namespace fanfold
