#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command_line/command_line_verbs.h"

namespace fanfold {

void AddFeed(CLI::App& app, Verb& verb) {
  CLI::App* feed = app.add_subcommand("feed", "How feeds are made: pulled, or with inboxes");
  feed->require_subcommand(1);
  feed->footer("Examples:\n  fanfold feed mode\n  fanfold feed mode hybrid\n");
  CLI::App* mode = feed->add_subcommand("mode", "Show how, or turn inboxes on or off, live");
  const auto to = std::make_shared<std::string>();
  mode->add_option("MODE", *to, "pull or hybrid; without it the mode is shown")
      ->check(CLI::IsMember({"pull", "hybrid"}));
  mode->footer(
      "pull merges the newest posts of all whom an owner follows when they read, from memory. "
      "hybrid\n"
      "keeps an inbox for each owner who looked lately besides, for readers whose memory cannot "
      "hold\n"
      "the authors: posts of authors with fewer than FANFOLD_PUSH_FANS_MAX fans are delivered, "
      "all\n"
      "others still pulled. Answers are the same. Either way it is done while all goes on: an "
      "inbox\n"
      "begins when its owner looks next (POST feed/shown). Calling hybrid once more changes "
      "nothing;\n"
      "pull, then hybrid, makes all inboxes anew, as after some shards were restored alone.\n\n"
      "Examples:\n  fanfold feed mode\n  fanfold feed mode hybrid\n"
      "  fanfold feed mode --json | jq -r .mode\n");
  mode->final_callback([to, &verb] {
    FeedModeOptions options;
    if (!to->empty()) options.to_hybrid = *to == "hybrid";
    verb = options;
  });
}

}  // namespace fanfold
