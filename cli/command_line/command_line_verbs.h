// Parts of the command line: each adds one verb, which puts what it was told into `verb` when it is
// the one that was asked for. `app` and `verb` outlive the parsing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line/command_line.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace fanfold {

// Says why a number is not above 0; empty when it is.
[[nodiscard]] std::string CheckAboveZero(const std::string& text);

// "following, fans, …": of what help tells.
[[nodiscard]] std::string NamesOfProjections();

// Says why a text is no id; empty when it is one.
[[nodiscard]] std::string WhyNoId(const std::string& text);

// Says, after a parsing that failed, which word stands where a verb was wanted, and the nearest
// verb; empty where none does.
[[nodiscard]] std::string WhyUnknownVerb(const CLI::App& app);
// The same, or that a verb is wanted; empty where none is.
[[nodiscard]] std::string WhyNoVerb(const CLI::App& app);
// The same of the words behind `fanfold help`.
[[nodiscard]] std::string WhyNoHelp(const CLI::App& app, const std::vector<std::string>& verbs);

void AddConfig(CLI::App& app, Verb& verb);
void AddConsole(CLI::App& app, Verb& verb);
void AddDoctor(CLI::App& app, Verb& verb);
void AddErase(CLI::App& app, Verb& verb);
void AddExplain(CLI::App& app, Verb& verb);
void AddFeed(CLI::App& app, Verb& verb);
void AddIdentity(CLI::App& app, Verb& verb);
void AddImport(CLI::App& app, Verb& verb);
void AddLane(CLI::App& app, Verb& verb, const std::optional<std::string>& who);
void AddParked(CLI::App& app, Verb& verb);
void AddRebuild(CLI::App& app, Verb& verb);
void AddTail(CLI::App& app, Verb& verb);
void AddToken(CLI::App& app, Verb& verb);

}  // namespace fanfold
