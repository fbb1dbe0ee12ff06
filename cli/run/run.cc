#include "cli/run/run.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "cli/deployment/serve_note.h"
#include "cli/embedded/backends.h"
#include "cli/stack/backend.h"
#include "cli/terminal/how_to_call.h"
#include "cli/verbs/run_on.h"
#include "common/ports/deployment_check.h"
#include "common/sqlite/folder_lock.h"

namespace fanfold {
namespace {

namespace fs = std::filesystem;

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
  return HoldsAnyOf<InitOptions, ImportOptions, operations::ImportLogOptions>(verb);
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
    if (Status there = CheckFolder(config.folder); !there) return console.SayError(there.error());
  }
  const operations::Reach reach = ReachOf(command.verb);
  const std::optional<ServeNote> serving = FindServing(config.folder);
  Result<std::unique_ptr<operations::Backend>> backend =
      serving ? embedded::ServedBackend(config, reach, *serving)
              : embedded::OpenBackend(config, reach);
  if (!backend) return console.SayError(backend.error());
  return RunOn(**backend, !serving, command, calls, console, interrupt);
}

}  // namespace

Status CheckFolder(const std::string& folder) {
  for (const std::string_view file : {kSqliteLogFile, kSqliteTablesFile}) {
    std::error_code why;
    if (fs::exists(fs::path(folder) / file, why)) return {};
    if (why == std::errc::permission_denied) {
      return Fail(ErrorCode::kRefused,
                  fmt::format("'{}' may not be looked into: it is another user's", folder));
    }
  }
  return Fail(ErrorCode::kNotFound,
              fmt::format("there is nothing in '{0}': `fanfold serve --dir {0}` or `fanfold init "
                          "--dir {0}` makes a deployment there",
                          folder));
}

ExitCode RunOnFound(const FoundDeployment& found, const CommandLine& command, Console& console,
                    operations::Interrupt& interrupt) {
  const Config& config = found.configured.config;
  HowToCall calls = HowToCallOn(command.program, found);
  if (config.mode == DeploymentMode::kFolder) {
    return RunOnFolder(config, command, calls, console, interrupt);
  }
  return RunOnStack(config, command, std::move(calls), console, interrupt);
}

}  // namespace fanfold
