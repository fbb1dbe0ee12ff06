// Parts of the command line: each adds one verb, which puts what it was told into `verb` when it is
// the one that was asked for. `app` and `verb` outlive the parsing.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line/command_line.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fanfold {

// What is wrong with a number that has to be above 0; empty when nothing is.
[[nodiscard]] std::string CheckAboveZero(const std::string& text);

// "following, fans, …": of what help tells.
[[nodiscard]] std::string NamesOfProjections();

// What is wrong with an id; empty when nothing is.
[[nodiscard]] std::string WhyNoId(const std::string& text);

// Says, after a parsing that failed, which word stands where a verb was wanted, and the nearest
// verb; empty where no word stands there.
[[nodiscard]] std::string WhyNoVerb(const CLI::App& app);

void AddConfig(CLI::App& app, Verb& verb);
void AddConsole(CLI::App& app, Verb& verb);
void AddDoctor(CLI::App& app, Verb& verb);
void AddErase(CLI::App& app, Verb& verb);
void AddExplain(CLI::App& app, Verb& verb);
void AddFeed(CLI::App& app, Verb& verb);
void AddIdentity(CLI::App& app, Verb& verb);
void AddLane(CLI::App& app, Verb& verb, const std::optional<std::string>& who);
void AddParked(CLI::App& app, Verb& verb);
void AddRebuild(CLI::App& app, Verb& verb);
void AddTail(CLI::App& app, Verb& verb);
void AddToken(CLI::App& app, Verb& verb);

}  // namespace fanfold
