#include "cli/run/console.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "cli/console/console_server.h"
#include "cli/deployment/reader_endpoint.h"
#include "cli/deployment/serve_note.h"
#include "cli/embedded/backends.h"
#include "cli/run/run.h"
#include "cli/terminal/how_to_call.h"
#include "cli/verbs/run_on.h"

namespace fanfold {
namespace {

// Of the folder that the configuration names.
Result<ServeNote> FindServed(const Config& config) {
  if (Status there = CheckFolder(config.folder); !there) return Forward(there);
  if (std::optional<ServeNote> note = FindServing(config.folder)) return *std::move(note);
  return Fail(ErrorCode::kRefused,
              fmt::format("nobody serves {0}: `fanfold serve --dir {0}` does, and has the console "
                          "itself",
                          config.folder));
}

Status CheckServed(const Config& config) {
  if (config.mode != DeploymentMode::kFolder) return {};
  Result<ServeNote> note = FindServed(config);
  if (!note) return Forward(note);
  return {};
}

// Never opens a folder itself: whoever serves it could not come back meanwhile.
ExitCode RunForPage(const FoundDeployment& found, const CommandLine& command, Console& console,
                    operations::Interrupt& interrupt) {
  const Config& config = found.configured.config;
  if (config.mode != DeploymentMode::kFolder) {
    return RunOnFound(found, command, console, interrupt);
  }
  const Result<ServeNote> note = FindServed(config);
  if (!note) return console.SayError(note.error());
  const auto backend = embedded::ServedBackend(config, ReachOf(command.verb), *note);
  if (!backend) return console.SayError(backend.error());
  return RunOn(**backend, false, command, HowToCallOn(command.program, found), console, interrupt);
}

Result<http::HttpEndpoint> FindReader(const Config& config) {
  if (config.mode != DeploymentMode::kFolder) return ConfiguredReader(config);
  std::optional<ServeNote> note = FindServing(config.folder);
  if (!note) return Fail(ErrorCode::kUnavailable, "nobody serves " + config.folder);
  Result<ServeNote> shown = WithShownToken(config, *std::move(note));
  if (!shown) return Forward(shown);
  return shown->endpoint();
}

}  // namespace

ExitCode RunConsole(const FoundDeployment& found, const ConsoleOptions& options,
                    const std::string& program, Console& console, ShutdownSignal& signal) {
  const Config& config = found.configured.config;
  if (Status served = CheckServed(config); !served) return console.SayError(served.error());
  const auto run = [&](const CommandLine& command, Console& of_page,
                       operations::Interrupt& interrupt) {
    CommandLine called = command;
    called.program = program;
    return RunForPage(found, called, of_page, interrupt);
  };
  const auto server = console::ConsoleServer::Start(
      options.port, run,
      {.find = [&config] { return FindReader(config); }, .shows_own_token = true});
  if (!server) return console.SayError(server.error());
  console.PrintLine((*server)->address());
  console.Flush();
  console.Say("fanfold: the console is there for whoever has that address, Ctrl-C stops");
  signal.Wait();
  return ExitCode::kFine;
}

}  // namespace fanfold
