// What an operator did, in the log of his machine: who, what, from where, and how it ended.
#pragma once

#include <span>
#include <string>

#include "cli/command_line/command_line.h"
#include "cli/terminal/exit_code.h"

namespace fanfold {

// Does it change a deployment, or who may ask it?
[[nodiscard]] bool Changes(const Verb& verb);

// Who calls, as the system knows him; where it was by sudo, whose account he came from. From many
// threads; the first call may block as the machine's directory of users does.
[[nodiscard]] std::string CallingUser();

struct AuditCaller {
  std::string who;
  std::string from;
};
// As the system knows him.
[[nodiscard]] AuditCaller CallerOfProcess();

// One line, `arguments` without passwords and tokens, and with nothing that a terminal or a log
// would obey.
[[nodiscard]] std::string AuditLine(const AuditCaller& caller,
                                    std::span<const char* const> arguments, ExitCode ended);

// To syslog, facility auth, of verbs that change something; nowhere where a machine has no such
// log. May block as the machine's log does.
void TellAudit(const Verb& verb, const AuditCaller& caller, std::span<const char* const> arguments,
               ExitCode ended);

}  // namespace fanfold
