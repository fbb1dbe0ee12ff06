#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/command_line/audit_line.h"
#include "cli/command_line/command_line.h"
#include "cli/deployment/config.h"
#include "cli/deployment/deployment.h"
#include "cli/embedded/serve.h"
#include "cli/log/generate.h"
#include "cli/run/console.h"
#include "cli/run/run.h"
#include "cli/stack/backend.h"
#include "common/base/logging.h"
#include "common/base/shutdown.h"
#include "common/config/reload.h"
#include "common/config/warnings.h"
#include "common/service/service.h"

namespace fanfold {
namespace {

class SignalInterrupt final : public operations::Interrupt {
 public:
  explicit SignalInterrupt(ShutdownSignal& signal) : signal_(signal) {}
  bool WaitFor(std::int64_t timeout_ms) override {
    stopped_ = stopped_ || signal_.WaitFor(timeout_ms);
    return stopped_;
  }

 private:
  ShutdownSignal& signal_;
  bool stopped_ = false;
};

ExitCode RunServe(const CommandLine& command, Console& console, ShutdownSignal& signal) {
  const DeploymentChoice& choice = command.deployment;
  const ConfigSources sources = SourcesOf(choice).value_or(
      ConfigSources{.mode = DeploymentMode::kFolder, .flags = choice.flags});
  const Result<Config> config = LoadConfig(sources);
  if (!config) return console.SayError(config.error());
  if (config->mode != DeploymentMode::kFolder) {
    return console.SayError({ErrorCode::kInvalidArgument,
                             "the configuration is of mode servers, whose processes are "
                             "fanfold-writer, fanfold-projector and fanfold-reader"});
  }
  SetLogLevel(config->log_level);
  LogWarnings(*config);
  const ConfigReload reload(sources);
  return embedded::Serve(*config, console, signal);
}

// Nothing: it is none.
std::optional<ExitCode> RunTokenVerb(const CommandLine& command, Console& console) {
  const auto run = [&]<class Options>(const Options& options) -> std::optional<ExitCode> {
    if constexpr (requires { RunToken(options, "", false, SystemClock(), console); }) {
      const Result<std::string> file = TokensFileOf(command.deployment);
      if (!file) return console.SayError(file.error());
      return RunToken(options, *file, command.json, SystemClock(), console);
    }
    return std::nullopt;
  };
  return std::visit(run, command.verb);
}

ExitCode Run(const CommandLine& command, Console& console) {
  if (const auto* graph = std::get_if<operations::GraphOptions>(&command.verb)) {
    return RunGenerate(console, *graph, command.json);
  }
  if (std::holds_alternative<ConfigReferenceOptions>(command.verb)) {
    return RunConfigReference(console);
  }
  // Before any thread is started, so that all inherit the blocked signals.
  ShutdownSignal signal;
  if (std::holds_alternative<ServeOptions>(command.verb)) {
    return RunServe(command, console, signal);
  }
  SignalInterrupt interrupt(signal);
  if (const auto ended = RunTokenVerb(command, console)) return *ended;
  const DeploymentPlaces places;
  const Result<FoundDeployment> found = FindDeployment(command.deployment, places);
  if (!found) return console.SayError(found.error());
  const Config& config = found->configured.config;
  if (std::holds_alternative<ConfigPrintOptions>(command.verb)) {
    return RunConfigPrint(found->configured, command.json, console);
  }
  if (std::holds_alternative<ConfigCheckOptions>(command.verb)) {
    std::vector<Error> wrong = stack::WhyUnusable(config);
    std::ranges::move(ServicePorts::WhyUnusable(config), std::back_inserter(wrong));
    return RunConfigCheck(found->configured, std::move(wrong), WarningsOf(config), command.json,
                          console);
  }
  if (const auto* page = std::get_if<ConsoleOptions>(&command.verb)) {
    return RunConsole(*found, *page, command.program, console, signal);
  }
  return RunOnFound(*found, command, console, interrupt);
}

// What threads, sockets and memory throw that are not to be had.
ExitCode RunGuarded(const CommandLine& command, Console& console) {
  try {
    return Run(command, console);
  } catch (const std::exception& error) {
    return console.SayError({ErrorCode::kUnavailable, error.what()});
  }
}

int Main(int argc, const char* const* argv) {
  Console console = Console::OfProcess();
  const auto command = ParseCommandLine(argc, argv);
  // A verb says itself what it could not do; clients warn of each broker and each attempt besides.
  StartLogging("fanfold", LogLevel::kError);
  if (command) {
    const ExitCode code = console.Ended(RunGuarded(*command, console));
    TellAudit(command->verb, CallerOfProcess(), std::span(argv, static_cast<std::size_t>(argc)),
              code);
    return static_cast<int>(code);
  }
  const CommandLineEnd& end = command.error();
  std::string_view text = end.text;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (end.code == ExitCode::kFine) {
    console.PrintLine(text);
    console.Flush();
  } else {
    console.Say(text);
  }
  return static_cast<int>(end.code);
}

}  // namespace
}  // namespace fanfold

int main(int argc, char** argv) { return fanfold::Main(argc, argv); }
