#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_line/command_line_choice.h"
#include "cli/command_line/command_line_verbs.h"
#include "common/post/post_event.h"
#include "common/stream/no_id.h"

namespace fanfold {

void AddDoctor(CLI::App& app, Verb& verb) {
  CLI::App* doctor = app.add_subcommand("doctor", "What is not as it should be, and what to do");
  doctor->footer(
      "Looks at the topics' settings and replicas, at the room on a folder's disk, at partitions\n"
      "and shards, versions, migrations, tables and indexes, the databases' durability, clocks,\n"
      "projectors that are gone, lanes that stand, lag, generations left half loaded and parked\n"
      "records. A folder that nobody serves is folded first, for 30 s at most. Changes nothing\n"
      "without --fix. A line each: ok, warning (it rests on less than it should), problem (data\n"
      "is in danger, or something does not work), unknown (it cannot be looked at); then what to\n"
      "do. Exit 0: no problem; 2: problems; 1: cannot look.\n\n"
      "With --fix it shows the statements that make what tables lack, asks, runs them beside live\n"
      "reads and writes, and looks again. Settings of topics are shown as the command for whoever\n"
      "runs the brokers: an operator of Fanfold has no right to change them.\n\n"
      "Examples:\n  fanfold doctor\n  fanfold doctor --fix\n"
      "  fanfold doctor --json | jq -r '.checks[].findings[].do'\n");
  const auto options = std::make_shared<DoctorOptions>();
  CLI::Option* fix =
      doctor->add_flag("--fix", options->fix, "Do what can be done, after showing it");
  doctor->add_flag("--yes", options->yes, "Do it without asking")->needs(fix);
  doctor->final_callback([options, &verb] { verb = *options; });
}

std::string WhyNoId(const std::string& text) {
  return ParseUserId(text) ? std::string() : NoId(text);
}

void AddErase(CLI::App& app, Verb& verb) {
  CLI::App* erase = app.add_subcommand("erase", "What of a user remains in the topics");
  const auto user = std::make_shared<std::string>();
  erase->add_option("USER", *user, "Whose account has ended")->required()->check(WhyNoId);
  erase->footer(
      "Changes nothing: an account ends by DELETE /v1/users/USER, which ends its relations and\n"
      "posts, too. The tables then show nothing of it, but topics are kept for ever. Reads every\n"
      "topic from end to end, which takes a while on a long log, counts the records that name\n"
      "the user, and says how the log is written anew without them (`fanfold export --log FILE\n"
      "--without USER`).\n\n"
      "Examples:\n  fanfold erase 7\n"
      "  fanfold erase 7 --json | jq '.topics[] | [.topic, .records]'\n");
  erase->final_callback(
      [user, &verb] { verb = EraseOptions{ParseUserId(*user).value_or(UserId())}; });
}

namespace {

CLI::App* AddExplainFeed(CLI::App& explain, Verb& verb) {
  CLI::App* feed = explain.add_subcommand("feed", "Why a post is in a user's feed, or is not");
  const auto ids = std::make_shared<std::array<std::string, 3>>();
  feed->add_option("OWNER", (*ids)[0], "Whose feed")->required()->check(WhyNoId);
  feed->add_option("AUTHOR", (*ids)[1], "Who published it")->required()->check(WhyNoId);
  feed->add_option("POST", (*ids)[2], "Its id")->required()->check(WhyNoId);
  feed->footer(
      "Whether the tables say that it is in the feed, and why; then the story of the follow and\n"
      "of the post: what was asked, what was decided, by position, and the rows. Exit 2: a row\n"
      "is not what the outcomes say.\n\n"
      "Examples:\n  fanfold explain feed 1 2 7001\n"
      "  fanfold explain feed 1 2 7001 --json | jq -r .why\n");
  feed->final_callback([ids, &verb] {
    const auto& [owner, author, post] = *ids;
    verb = ExplainOptions{ParseUserId(owner).value_or(UserId()), ParseUserId(author),
                          ParsePostId(post)};
  });
  return feed;
}

}  // namespace

void AddExplain(CLI::App& app, Verb& verb) {
  CLI::App* explain = app.add_subcommand("explain", "Why one user follows another, or does not");
  const auto users = std::make_shared<std::pair<std::string, std::string>>();
  explain->add_option("SUBJECT", users->first, "Who follows")->check(WhyNoId);
  explain->add_option("OBJECT", users->second, "Who is followed; without it, the user's own rows")
      ->check(WhyNoId);
  explain->footer(
      "Every event of that edge with what was decided about it, then the two rows it led to:\n"
      "in the subject's following and in the object's fans, with the version (the offset of the\n"
      "event that changed it last, plus one), both counts and how far each lane has come. Reads\n"
      "the subject's partition of both topics from end to end, which takes a while on a long\n"
      "log. Exit 2: a row is not what the outcomes say, and `fanfold repair` mends it.\n"
      "Of one user alone: the profile they told, and the row it led to.\n\n"
      "Examples:\n  fanfold explain 1 2\n  fanfold explain 1\n  fanfold explain feed 1 2 7001\n"
      "  fanfold explain 1 2 --json | jq '.events[] | [.position, .outcome]'\n");
  const CLI::App* feed = AddExplainFeed(*explain, verb);
  explain->final_callback([users, feed, &verb] {
    if (feed->parsed()) return;
    if (users->first.empty()) throw CLI::RequiredError("SUBJECT");
    verb = ExplainOptions{ParseUserId(users->first).value_or(UserId()), ParseUserId(users->second),
                          std::nullopt};
  });
}

void AddTail(CLI::App& app, Verb& verb) {
  CLI::App* tail = app.add_subcommand("tail", "Print the log as it grows, until Ctrl-C");
  const auto options = std::make_shared<operations::TailOptions>();
  std::vector<std::string> names;
  for (const Topic topic : Topic::All()) names.emplace_back(topic.name());
  const auto choose = [options](const std::string& name) {
    options->topic = Topic::Find(name).value();
  };
  CLI::Option* topic = AddNames(*tail, "--topic", names, choose, "Of this topic");
  tail->add_flag_callback(
          "--outcomes", [options] { options->topic = topics::kRelationOutcomes; },
          "What was decided about relations, instead of what was asked")
      ->excludes(topic);
  tail->add_flag("--from-start", options->from_start, "From the first record on");
  tail->add_option("--count", options->count, "End after so many records")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()));
  tail->footer(
      "With --json each line is {\"topic\",\"position\",\"appended_ms\",\"key\",\"value\"}, the\n"
      "value as it stands in the log.\n\n"
      "Examples:\n  fanfold tail --outcomes\n"
      "  fanfold tail --from-start --count 10\n  fanfold tail --json | jq -c .value\n");
  tail->final_callback([options, &verb] { verb = *options; });
}

}  // namespace fanfold
