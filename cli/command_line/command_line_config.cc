#include <CLI/CLI.hpp>

#include "cli/command_line/command_line_verbs.h"

namespace fanfold {

void AddConfig(CLI::App& app, Verb& verb) {
  CLI::App* config = app.add_subcommand("config", "What a deployment is told: check and show it");
  config->require_subcommand(1);
  config->footer(
      "Each setting is taken from its flag, else from its environment variable, else from the "
      "file\n"
      "that --config (or FANFOLD_CONFIG) names, else it is the default. No file is needed.\n"
      "Nothing is reached.\n\n"
      "Examples:\n  fanfold config check --config fanfold.toml\n"
      "  fanfold config print --config fanfold.toml\n");
  CLI::App* check = config->add_subcommand("check", "Is all of it as it must be?");
  check->footer(
      "Exit 1 with what is not, and where it stands: an unknown key, a value, a DSN, an option\n"
      "that Kafka's client does not take, a file of secrets, tokens, keys or certificates that\n"
      "cannot be read or used, operators on the service's port. Files are looked for here: call "
      "it\n"
      "on the machine, and as the user, of the process.\n\n"
      "Example:\n  fanfold config check --config /etc/fanfold/fanfold.toml\n");
  check->final_callback([&verb] { verb = ConfigCheckOptions{}; });
  CLI::App* print = config->add_subcommand("print", "Every value, and where it came from");
  print->footer(
      "What is printed is a file of TOML that says the same. Secrets are never shown.\n\n"
      "Examples:\n  fanfold config print\n"
      "  fanfold config print --json | jq '.settings[] | select(.from != \"default\")'\n");
  print->final_callback([&verb] { verb = ConfigPrintOptions{}; });
  CLI::App* reference = config->add_subcommand("reference", "Every setting that there is");
  reference->footer(
      "In Markdown: docs/CONFIGURATION.md.\n\nExample:\n  fanfold config reference | less\n");
  reference->final_callback([&verb] { verb = ConfigReferenceOptions{}; });
}

}  // namespace fanfold
