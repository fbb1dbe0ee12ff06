// Logs what an operator did, on the operator's machine: who, what, from where, and how it ended.
#pragma once

#include <span>
#include <string>

#include "cli/command_line/command_line.h"
#include "cli/terminal/exit_code.h"

namespace fanfold {

// Does it change a deployment, or who may ask it?
[[nodiscard]] bool Changes(const Verb& verb);

// The caller's account, as the system names it; under sudo the account that called sudo. From many
// threads; the first call may block as the machine's directory of users does.
[[nodiscard]] std::string CallingUser();

struct AuditCaller {
  std::string who;
  std::string from;
};
// The caller, as the system names them.
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
