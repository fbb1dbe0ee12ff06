// The command line as values; what each verb needs is in its own header.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <variant>

#include "cli/access/token.h"
#include "cli/audit/repair.h"
#include "cli/audit/verify.h"
#include "cli/deployment/config.h"
#include "cli/deployment/deployment.h"
#include "cli/deployment/identity.h"
#include "cli/feed/feed_mode.h"
#include "cli/inspect/doctor.h"
#include "cli/inspect/erase.h"
#include "cli/inspect/explain.h"
#include "cli/inspect/status.h"
#include "cli/inspect/tail.h"
#include "cli/inspect/wait.h"
#include "cli/lanes/lane.h"
#include "cli/log/export_log.h"
#include "cli/log/import.h"
#include "cli/log/import_log.h"
#include "cli/parked/parked.h"
#include "cli/parked/parked_drop.h"
#include "cli/parked/parked_replay.h"
#include "cli/rebuild/rebuild.h"
#include "cli/terminal/exit_code.h"
#include "operations/generate/graph_generator.h"

namespace fanfold {

struct InitOptions {};
struct ServeOptions {};
struct ConsoleOptions {
  static constexpr std::uint16_t kPort = 8090;
  std::uint16_t port = kPort;  // 0: any free one
};

// Generate, config and token reach no deployment; serve is one.
using Verb =
    std::variant<InitOptions, IdentityShowOptions, IdentityRenewOptions, ImportOptions,
                 operations::ImportLogOptions, ExportLogOptions, WaitOptions, StatusOptions,
                 LaneListOptions, operations::LaneOrderOptions, operations::VerifyOptions,
                 operations::RepairOptions, operations::RebuildOptions, ExplainOptions,
                 EraseOptions, DoctorOptions, FeedModeOptions, ParkedListOptions, ParkedShowOptions,
                 operations::ParkedReplayOptions, operations::ParkedDropOptions,
                 operations::TailOptions, operations::GraphOptions, ServeOptions, ConsoleOptions,
                 ConfigCheckOptions, ConfigPrintOptions, ConfigReferenceOptions, TokenMakeOptions,
                 TokenListOptions, TokenRevokeOptions>;

template <class... Options>
[[nodiscard]] bool HoldsAnyOf(const Verb& verb) noexcept {
  return (std::holds_alternative<Options>(verb) || ...);
}

struct CommandLine {
  DeploymentChoice deployment;
  bool json = false;
  Verb verb;
  std::string program = "fanfold";  // as it was called
};

// Nothing to run: help or the version was asked for (kFine, for stdout), or it is wrong (kError,
// for stderr).
struct CommandLineEnd {
  ExitCode code = ExitCode::kFine;
  std::string text;
};

// `who` types it; nothing: CallingUser.
[[nodiscard]] std::expected<CommandLine, CommandLineEnd> ParseCommandLine(
    int argc, const char* const* argv, const std::optional<std::string>& who = {});

}  // namespace fanfold
