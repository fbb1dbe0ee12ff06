#include "common/service/process.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "common/base/logging.h"
#include "common/config/flags.h"
#include "common/config/load.h"
#include "common/config/reload.h"
#include "common/config/warnings.h"

namespace fanfold {
namespace {

Status Serve(const Process& process, const ConfigSources& sources, const Config& config,
             ShutdownSignal& shutdown) {
  try {
    const ConfigReload reload(sources);
    return process.serve(config, shutdown);
  } catch (const std::exception& error) {  // what threads, sockets and memory throw
    return Fail(ErrorCode::kUnavailable, error.what());
  }
}

int Failed(std::string_view what, const Error& why) {
  LogError(what, {{"error", why.message}});
  return EXIT_FAILURE;
}

}  // namespace

int RunProcess(int argc, char** argv, const Process& process) {
  ShutdownSignal shutdown;  // before any thread
  const std::string program = "fanfold-" + process.name;
  CLI::App app(process.about, program);
  app.set_version_flag("--version", program + " " FANFOLD_VERSION);
  ConfigSources sources;
  if (process.add_flags) process.add_flags(app);
  AddConfigFlags(app, process.program, sources);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  StartLogging(process.logged_as ? process.logged_as() : process.name, LogLevel::kInfo);
  const Result<Config> config = LoadConfig(sources);
  if (!config) return Failed("configuration refused", config.error());
  SetLogLevel(config->log_level);
  LogWarnings(*config);
  const Status served = Serve(process, sources, *config, shutdown);
  if (!served) return Failed("cannot serve", served.error());
  return EXIT_SUCCESS;
}

}  // namespace fanfold
