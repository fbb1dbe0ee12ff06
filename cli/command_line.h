// The command line as values; what each verb needs is in its own header.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <variant>

#include "cli/deployment.h"
#include "cli/doctor.h"
#include "cli/exit_code.h"
#include "cli/explain.h"
#include "cli/export_log.h"
#include "cli/graph_generator.h"
#include "cli/import.h"
#include "cli/import_log.h"
#include "cli/lane.h"
#include "cli/parked.h"
#include "cli/parked_drop.h"
#include "cli/parked_replay.h"
#include "cli/rebuild.h"
#include "cli/repair.h"
#include "cli/serve.h"
#include "cli/status.h"
#include "cli/tail.h"
#include "cli/verify.h"
#include "cli/wait.h"

namespace fanfold {

struct InitOptions {};

// Generate needs no deployment; serve is one.
using Verb = std::variant<InitOptions, ImportOptions, ImportLogOptions, ExportLogOptions,
                          WaitOptions, StatusOptions, LaneListOptions, LaneOrderOptions,
                          VerifyOptions, RepairOptions, RebuildOptions, ExplainOptions,
                          DoctorOptions, ParkedListOptions, ParkedShowOptions, ParkedReplayOptions,
                          ParkedDropOptions, TailOptions, GraphOptions, ServeOptions>;

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

[[nodiscard]] std::expected<CommandLine, CommandLineEnd> ParseCommandLine(int argc,
                                                                          const char* const* argv);

}  // namespace fanfold
