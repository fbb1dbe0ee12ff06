// `fanfold doctor`
#pragma once

#include "cli/session.h"

namespace fanfold {

struct DoctorOptions {};

// Looks at what the deployment stands on and says what to do about each thing that is not as it
// should be. Changes nothing. kDifferent when there is a problem, kError when something cannot be
// looked at; the rest is told all the same.
[[nodiscard]] ExitCode RunDoctor(Session& session, const DoctorOptions& options);

}  // namespace fanfold
