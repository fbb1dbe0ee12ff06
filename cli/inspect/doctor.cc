#include "cli/inspect/doctor.h"

#include <vector>

#include "cli/inspect/checks_text.h"
#include "operations/doctor/doctor.h"

namespace fanfold {

ExitCode RunDoctor(Session& session, const DoctorOptions& /*options*/) {
  std::vector<operations::Check> checks = operations::Examine(session);
  for (operations::Check& check : checks) {
    for (operations::Finding& finding : check.findings) {
      finding.advice = Pasteable(finding.advice, session.calls);
    }
  }
  if (session.json) {
    session.console.PrintLine(ChecksJson(checks));
  } else {
    session.console.Print(ChecksText(checks));
  }
  session.console.Flush();
  return ExitCodeOf(checks);
}

}  // namespace fanfold
