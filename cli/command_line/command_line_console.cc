#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>

#include "cli/command_line/command_line_verbs.h"

namespace fanfold {

void AddConsole(CLI::App& app, Verb& verb) {
  CLI::App* console = app.add_subcommand("console", "A page of this deployment, for a browser");
  const auto options = std::make_shared<ConsoleOptions>();
  console->add_option("--port", options->port, "On this port of this machine; 0: any free one")
      ->capture_default_str();
  console->footer(
      "Serves a page on 127.0.0.1 and says where, until Ctrl-C: users with their lists, relations\n"
      "and feeds, the story of an edge, lanes, generations and rebuilds, parked records. What it\n"
      "shows is what the verbs answer with --json, and what it does are verbs, in the log of the\n"
      "machine as they are. The address that is told ends in a token that opens it, for nobody "
      "but\n"
      "whoever reads it here; it ends with this process. Lists and feeds come from the reader at\n"
      "`bind` and `reader_port`. A folder has to be served: `fanfold serve` has the same page at\n"
      "/console/.\n\n"
      "Examples:\n  fanfold console\n  fanfold console --config fanfold.toml --port 9000\n");
  console->final_callback([options, &verb] { verb = *options; });
}

}  // namespace fanfold
