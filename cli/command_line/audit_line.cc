#include "cli/command_line/audit_line.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <pwd.h>
#include <string_view>
#include <syslog.h>
#include <unistd.h>
#include <variant>

#include "common/access/static_tokens.h"
#include "common/base/json_text.h"
#include "common/config/dsn_password.h"

namespace fanfold {
namespace {

// What is there, "" where it is not.
std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Read once: a directory server may have to answer, and what getpwuid gives is every thread's.
const std::string& UserOfProcess() {
  static const std::string name = [] {
    const passwd* user = getpwuid(getuid());
    return user != nullptr ? std::string(user->pw_name) : fmt::format("user {}", getuid());
  }();
  return name;
}

// The machine that a session by SSH came from, else the terminal.
std::string CalledFrom() {
  const std::string_view session = Variable("SSH_CONNECTION");
  if (!session.empty()) return std::string(session.substr(0, session.find(' ')));
  const char* terminal = ttyname(STDIN_FILENO);
  return terminal == nullptr ? "no terminal" : terminal;
}

// A token, of either kind, that stands in a text where its id or its file should.
std::string WithoutTokens(std::string_view text) {
  constexpr std::string_view kOfTokens =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-.";
  constexpr std::string_view kJwtBegin = "eyJ";
  std::string shown;
  while (!text.empty()) {
    const std::size_t word = std::min(text.find_first_not_of(kOfTokens), text.size());
    const std::string_view said = text.substr(0, word);
    const auto id = StaticTokenIdOf(said);
    if (id || said.starts_with(kJwtBegin)) {
      shown.append(id.value_or(kJwtBegin)).append(id ? "_***" : "***");
    } else {
      shown += said;
    }
    text.remove_prefix(word);
    const std::size_t rest = std::min(text.find_first_of(kOfTokens), text.size());
    shown += text.substr(0, rest);
    text.remove_prefix(rest);
  }
  return shown;
}

}  // namespace

bool Changes(const Verb& verb) {
  if (const auto* doctor = std::get_if<DoctorOptions>(&verb)) return doctor->fix;
  return HoldsAnyOf<FeedModeOptions, InitOptions, IdentityRenewOptions, ImportOptions,
                    operations::ImportLogOptions, operations::LaneOrderOptions,
                    operations::RepairOptions, operations::RebuildOptions,
                    operations::ParkedReplayOptions, operations::ParkedDropOptions,
                    TokenMakeOptions, TokenRevokeOptions>(verb);
}

std::string CallingUser() {
  std::string name = UserOfProcess();
  const std::string_view before = Variable("SUDO_USER");
  if (!before.empty()) name += fmt::format(" (sudo by {})", before);
  return name;
}

AuditCaller CallerOfProcess() { return {CallingUser(), CalledFrom()}; }

std::string AuditLine(const AuditCaller& caller, std::span<const char* const> arguments,
                      ExitCode ended) {
  std::string what;
  for (const char* const argument : arguments) {
    if (!what.empty()) what += ' ';
    what += WithoutTokens(WithoutPassword(argument));
  }
  return fmt::format(R"({{"who":{},"from":{},"what":{},"exit":{}}})", JsonPlain(caller.who),
                     JsonPlain(caller.from), JsonPlain(what), static_cast<int>(ended));
}

void TellAudit(const Verb& verb, const AuditCaller& caller, std::span<const char* const> arguments,
               ExitCode ended) {
  if (!Changes(verb)) return;
  openlog("fanfold", LOG_PID, LOG_AUTH);
  syslog(LOG_NOTICE, "%s", AuditLine(caller, arguments, ended).c_str());
  closelog();
}

}  // namespace fanfold
