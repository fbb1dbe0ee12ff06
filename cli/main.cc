#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "cli/command_line/audit_line.h"
#include "cli/command_line/command_line.h"
#include "cli/deployment/config.h"
#include "cli/deployment/deployment.h"
#include "cli/deployment/identity.h"
#include "cli/deployment/init.h"
#include "cli/deployment/serve_note.h"
#include "cli/embedded/backends.h"
#include "cli/embedded/serve.h"
#include "cli/log/generate.h"
#include "cli/stack/backend.h"
#include "cli/terminal/session.h"
#include "common/base/logging.h"
#include "common/base/shutdown.h"
#include "common/config/reload.h"
#include "common/ports/deployment_check.h"
#include "common/service/service.h"
#include "common/sqlite/folder_lock.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

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

struct RunVerb {
  Session& session;

  ExitCode operator()(const InitOptions&) const { return RunInit(session); }
  ExitCode operator()(const IdentityShowOptions&) const { return RunIdentityShow(session); }
  ExitCode operator()(const IdentityRenewOptions& options) const {
    return RunIdentityRenew(session, options);
  }
  ExitCode operator()(const ImportOptions& options) const { return RunImport(session, options); }
  ExitCode operator()(const operations::ImportLogOptions& options) const {
    return RunImportLog(session, options);
  }
  ExitCode operator()(const ExportLogOptions& options) const {
    return RunExportLog(session, options);
  }
  ExitCode operator()(const WaitOptions& options) const { return RunWait(session, options); }
  ExitCode operator()(const StatusOptions& options) const { return RunStatus(session, options); }
  ExitCode operator()(const operations::TailOptions& tail) const { return RunTail(session, tail); }
  ExitCode operator()(const ParkedListOptions& options) const {
    return RunParkedList(session, options);
  }
  ExitCode operator()(const ParkedShowOptions& options) const {
    return RunParkedShow(session, options);
  }
  ExitCode operator()(const LaneListOptions& options) const {
    return RunLaneList(session, options);
  }
  ExitCode operator()(const operations::LaneOrderOptions& options) const {
    return RunLaneOrder(session, options);
  }
  ExitCode operator()(const operations::VerifyOptions& options) const {
    return RunVerify(session, options);
  }
  ExitCode operator()(const operations::RepairOptions& options) const {
    return RunRepair(session, options);
  }
  ExitCode operator()(const operations::ParkedReplayOptions& options) const {
    return RunParkedReplay(session, options);
  }
  ExitCode operator()(const operations::ParkedDropOptions& options) const {
    return RunParkedDrop(session, options);
  }
  ExitCode operator()(const DoctorOptions& options) const { return RunDoctor(session, options); }
  ExitCode operator()(const EraseOptions& options) const { return RunErase(session, options); }
  ExitCode operator()(const FeedModeOptions& to) const { return RunFeedMode(session, to); }
  ExitCode operator()(const ExplainOptions& options) const { return RunExplain(session, options); }
  ExitCode operator()(const operations::RebuildOptions& options) const {
    return RunRebuild(session, options);
  }
  // What needs no deployment, or is one.
  ExitCode operator()(const auto&) const {
    return session.console.SayError({ErrorCode::kInternal, "not a verb on a deployment"});
  }
};

constexpr WaitOptions kFoldToTheEnd{
    .timeout_ms = 7LL * 24 * 3600 * 1000, .quiet = true, .passes_stopped = true};

// Is there more to fold once it has run?
bool MovesLanes(const Verb& verb) {
  return std::holds_alternative<ImportOptions>(verb) ||
         std::holds_alternative<operations::LaneOrderOptions>(verb) ||
         std::holds_alternative<operations::ParkedReplayOptions>(verb);
}

// The verb on what the deployment is; `folds_here`: nobody else folds it.
ExitCode RunOn(operations::Backend& backend, bool folds_here, const CommandLine& command,
               HowToCall calls, Console& console, operations::Interrupt& interrupt) {
  const SystemClock clock;
  const Verb& verb = command.verb;
  Session session{backend, clock, interrupt, console, command.json, std::move(calls)};
  const auto run = [&session](const auto& options) { return RunVerb{session}(options); };
  if (!folds_here) return std::visit(run, verb);
  if (const ExitCode folded = RunWait(session, kFoldToTheEnd); folded != ExitCode::kFine) {
    return folded;
  }
  const ExitCode code = std::visit(run, verb);
  if (!MovesLanes(verb)) return code;
  const ExitCode folded = RunWait(session, kFoldToTheEnd);
  return code == ExitCode::kFine ? folded : code;
}

// `init` looks for itself, since there may be none yet; `doctor` and `identity` tell what is wrong
// with them.
operations::Reach ReachOf(const Verb& verb) {
  const bool looks_itself = std::holds_alternative<InitOptions>(verb) ||
                            std::holds_alternative<DoctorOptions>(verb) ||
                            std::holds_alternative<IdentityShowOptions>(verb) ||
                            std::holds_alternative<IdentityRenewOptions>(verb);
  return looks_itself ? operations::Reach::kAnySchemas : operations::Reach::kOwnSchemas;
}

ExitCode RunOnStack(Config config, const CommandLine& command, HowToCall calls, Console& console,
                    operations::Interrupt& interrupt) {
  if (config.shards.empty() || config.kafka_brokers.empty()) {
    return console.SayError(
        {ErrorCode::kInvalidArgument, "the configuration names no kafka_brokers or no shards"});
  }
  const operations::Reach reach = ReachOf(command.verb);
  const bool own = reach == operations::Reach::kOwnSchemas;
  const Status valid =
      CheckConfigured({config.partitions, static_cast<std::int32_t>(config.shards.size())});
  if (own && !valid) return console.SayError(valid.error());
  const std::unique_ptr<operations::Backend> backend = stack::NewBackend(std::move(config), reach);
  if (own) {
    if (Status fits = operations::CheckShards(*backend); !fits)
      return console.SayError(fits.error());
  }
  return RunOn(*backend, false, command, std::move(calls), console, interrupt);
}

// Into a folder that nobody folds meanwhile.
ExitCode ImportLogIntoFolder(const Config& config, const CommandLine& command,
                             const HowToCall& calls, Console& console,
                             operations::Interrupt& interrupt) {
  if (const std::optional<ServeNote> serving = FindServing(config.folder)) {
    return console.SayError(
        {ErrorCode::kRefused,
         fmt::format("{} is served by process {}, which would decide again what was decided: stop "
                     "it first",
                     config.folder, serving->pid)});
  }
  Result<std::unique_ptr<operations::Backend>> backend = embedded::OpenUnfoldedBackend(config);
  if (!backend) return console.SayError(backend.error());
  return RunOn(**backend, false, command, calls, console, interrupt);
}

// A mistyped path is no deployment without faults.
bool MakesFolder(const Verb& verb) {
  return std::holds_alternative<InitOptions>(verb) || std::holds_alternative<ImportOptions>(verb) ||
         std::holds_alternative<operations::ImportLogOptions>(verb);
}

Status CheckThere(const std::string& folder) {
  std::error_code unknown;
  if (fs::exists(fs::path(folder) / kSqliteLogFile, unknown) ||
      fs::exists(fs::path(folder) / kSqliteTablesFile, unknown)) {
    return {};
  }
  return Fail(ErrorCode::kNotFound,
              fmt::format("there is nothing in '{0}': `fanfold serve --dir {0}` or `fanfold init "
                          "--dir {0}` makes a deployment there",
                          folder));
}

ExitCode RunOnFolder(const Config& config, const CommandLine& command, const HowToCall& calls,
                     Console& console, operations::Interrupt& interrupt) {
  if (std::holds_alternative<operations::ImportLogOptions>(command.verb)) {
    const ExitCode imported = ImportLogIntoFolder(config, command, calls, console, interrupt);
    if (imported != ExitCode::kFine) return imported;
    const CommandLine fold{command.deployment, command.json, kFoldToTheEnd};
    return RunOnFolder(config, fold, calls, console, interrupt);
  }
  if (!MakesFolder(command.verb)) {
    if (Status there = CheckThere(config.folder); !there) return console.SayError(there.error());
  }
  const operations::Reach reach = ReachOf(command.verb);
  const std::optional<ServeNote> serving = FindServing(config.folder);
  Result<std::unique_ptr<operations::Backend>> backend =
      serving ? embedded::ServedBackend(config, reach, *serving)
              : embedded::OpenBackend(config, reach);
  if (!backend) return console.SayError(backend.error());
  return RunOn(**backend, !serving, command, calls, console, interrupt);
}

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
    return RunGenerate(console, *graph);
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
    return RunConfigCheck(found->configured, std::move(wrong), command.json, console);
  }
  HowToCall calls = HowToCallOn(command.program, *found);
  if (config.mode == DeploymentMode::kFolder) {
    return RunOnFolder(config, command, calls, console, interrupt);
  }
  return RunOnStack(config, command, std::move(calls), console, interrupt);
}

int Main(int argc, const char* const* argv) {
  Console console = Console::OfProcess();
  const auto command = ParseCommandLine(argc, argv);
  // A verb says itself what it could not do; clients warn of each broker and each attempt besides.
  StartLogging("fanfold", LogLevel::kError);
  if (command) {
    const ExitCode code = console.Ended(Run(*command, console));
    TellAudit(command->verb, std::span(argv, static_cast<std::size_t>(argc)), code);
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
