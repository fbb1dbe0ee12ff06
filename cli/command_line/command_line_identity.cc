#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command_line/command_line_verbs.h"

namespace fanfold {

void AddIdentity(CLI::App& app, Verb& verb) {
  CLI::App* identity =
      app.add_subcommand("identity", "Which deployment the schemas are of; another id for a copy");
  identity->require_subcommand(1);
  identity->footer(
      "Every schema says which shard it is, of which deployment, with how many partitions and\n"
      "shards. Every connection compares that with the configuration before anything is written;\n"
      "with `deployment_id` there (or FANFOLD_DEPLOYMENT_ID) no other deployment is touched.\n\n"
      "Examples:\n  fanfold identity show\n  fanfold identity renew --config copy.toml\n");
  CLI::App* show = identity->add_subcommand("show", "What each schema says of itself");
  show->footer(
      "Exit 2: one is not what the configuration says, or could not be looked at.\n\n"
      "Examples:\n  fanfold identity show\n"
      "  fanfold identity show --json | jq -r '.shards[0].deployment_id'\n");
  show->final_callback([&verb] { verb = IdentityShowOptions{}; });
  CLI::App* renew = identity->add_subcommand("renew", "Give a copy of a deployment its own id");
  const auto options = std::make_shared<IdentityRenewOptions>();
  renew->add_flag("--yes", options->yes, "Without asking");
  renew->footer(
      "For schemas that were copied to another place, with topics of their own: the copy and what\n"
      "it was made of have one id until then, and nothing keeps a process of the one from the\n"
      "schemas of the other. Stop all that uses the copy first; it is refused (exit 3) while\n"
      "sessions are at its schemas. The id is drawn, or is the one that the configuration pins.\n"
      "Cut short, it goes on when it is called again.\n\n"
      "Example:\n  fanfold identity renew --config copy.toml\n");
  renew->final_callback([options, &verb] { verb = *options; });
}

}  // namespace fanfold
