#include "cli/command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "cli/command_line/command_line_choice.h"
#include "cli/command_line/command_line_verbs.h"
#include "common/config/flags.h"

namespace fanfold {
namespace {

// What CLI11 writes into while it parses.
struct Targets {
  CommandLine command;
  std::string config;
  std::string dir;
  bool export_log = false;
  ExportLogOptions exported;
  std::string without;
  double wait_seconds = 60;
  StatusOptions status;
  operations::VerifyOptions verify;
  operations::RepairOptions repair;
  operations::GraphOptions graph;
};

void AddInit(CLI::App& app, Targets& to) {
  CLI::App* verb = app.add_subcommand("init", "Create the topics, schemas and tables");
  verb->footer(
      "What is there already stays, so it may be run again: it makes indexes that are missing, "
      "and\n"
      "names what else is not as it is declared (exit 2).\n\n"
      "Example:\n  fanfold init --config fanfold.toml\n");
  verb->final_callback([&to] { to.command.verb = InitOptions{}; });
}

void AddServe(CLI::App& app, Targets& to) {
  CLI::App* verb = app.add_subcommand("serve", "Run everything in this process, on one folder");
  verb->footer(
      "Writer, projectors and reader on the reader's port (default 8080), log and tables in the\n"
      "folder that --dir names (default ./var/fanfold). An acked follow is on the disk.\n"
      "Runs until Ctrl-C. Meanwhile the other verbs find it; a console to look\n"
      "at is at /console/ of the operations port, which is the same port where access is open.\n\n"
      "Examples:\n  fanfold serve\n  fanfold serve --dir /srv/fanfold --port 8080\n"
      "  fanfold serve --config fanfold.toml\n");
  AddSettingFlags(*verb, Program::kServe, "Settings, over environment and file",
                  to.command.deployment.flags);
  verb->final_callback([&to] { to.command.verb = ServeOptions{}; });
}

void AddExport(CLI::App& app, Targets& to) {
  CLI::App* verb =
      app.add_subcommand("export", "Write the whole log to a file: a backup, or to move it");
  verb->add_flag("--log", to.export_log, "Events and outcomes as they stand in the log")
      ->required();
  verb->add_option("FILE", to.exported.file, "The file; - is stdout")->required();
  verb->add_option("--without", to.without,
                   "A user of an erased account, of whom nothing is written")
      ->check(WhyNoId);
  verb->footer(
      "A line of JSON a record, outcomes before events, with partition and offset; the last\n"
      "line holds the totals, so that a file that was cut is noticed. It goes up to the end the\n"
      "log has when it starts: to move, stop the writers and `fanfold wait` first, so that\n"
      "nothing is left behind and every event has its outcome. Into another number of partitions\n"
      "a log moves once no account is being erased (`fanfold status`).\n\n"
      "Example, from a folder to Kafka and MariaDB:\n"
      "  fanfold export --log log.jsonl --dir ./var/fanfold\n"
      "  fanfold init --config fanfold.toml\n"
      "  fanfold import --log log.jsonl --config fanfold.toml\n"
      "and then start the projectors. Through gzip:\n"
      "  fanfold export --log - | gzip > log.jsonl.gz\n"
      "`fanfold erase USER` says what --without is for: each record that names the user is\n"
      "written empty, and is parked by whoever folds that log.\n");
  verb->final_callback([&to] {
    to.exported.without = to.without.empty() ? std::nullopt : ParseUserId(to.without);
    to.command.verb = to.exported;
  });
}

void AddWait(CLI::App& app, Targets& to) {
  CLI::App* verb = app.add_subcommand("wait", "Wait until what is in the log now can be read");
  AddSeconds(*verb, "--timeout", to.wait_seconds, "Seconds to wait at most");
  verb->footer(
      "Exit 0: caught up. Exit 2: the time ran out; the lanes that lag are named. Exit 3: one of\n"
      "them has halted, which ends the wait at once; `fanfold lane list` says what to do.\n"
      "If a reader runs on this machine, it must have caught up, too; where none listens, the\n"
      "tables alone count. It is asked at `bind` and `reader_port`, over TLS by the first of the\n"
      "configuration's `hosts`.\n"
      "Interrupted: exit 1.\n\n"
      "Example:\n  fanfold wait --timeout 300 && fanfold status\n");
  verb->final_callback([&to] { to.command.verb = WaitOptions{MillisecondsOf(to.wait_seconds)}; });
}

void AddStatus(CLI::App& app, Targets& to) {
  CLI::App* verb = app.add_subcommand("status", "How far the projections are");
  verb->add_flag("--watch", to.status.watch, "Again each second, with rate and ETA, until Ctrl-C");
  verb->add_flag("--all", to.status.all_lanes, "Every lane, not only those that lag or stand");
  verb->footer(
      "A lane is one projection's work on one partition and shard. `lag events` are those not\n"
      "yet in its tables, `lag ms` is the age of the oldest of them. Where something lags there "
      "are\n"
      "two looks, half a second apart, for rate and ETA; ETA is - while it does not move.\n\n"
      "Examples:\n  fanfold status --all\n  fanfold status --watch\n"
      "  fanfold status --json | jq '.projections[].lag_events'\n");
  verb->final_callback([&to] { to.command.verb = to.status; });
}

void AddVerify(CLI::App& app, Targets& to) {
  CLI::App* verb = app.add_subcommand("verify", "Prove that the tables are what the topics say");
  verb->add_option("--sample", to.verify.sample, "Only the lists and counts of so many users")
      ->check(CLI::Range(std::size_t{1}, operations::kSampleUsersMax));
  verb->add_option("--rate", to.verify.rows_per_second,
                   "Read at most so many rows a second (default: as fast as it goes)")
      ->check(CheckAboveZero);
  verb->footer(
      "Counts against rows, and all tables of every shard against the records folded up to the\n"
      "very position at which the rows were read: writes may go on, what is reported is there.\n"
      "Each difference is a line (with --json an item); the last line is `differences: N`.\n"
      "Exit 0: none. Exit 2: some; `fanfold repair` mends them.\n\n"
      "Examples:\n  fanfold verify\n  fanfold verify --sample 1000 --rate 50000\n"
      "  fanfold verify --json | jq '.items[].kind'\n");
  verb->final_callback([&to] { to.command.verb = to.verify; });
}

void AddRepair(CLI::App& app, Targets& to) {
  CLI::App* verb = app.add_subcommand("repair", "Mend what verify finds");
  verb->add_flag("--dry-run", to.repair.dry_run, "Only say what is to be mended");
  verb->footer(
      "Folds each row that differs again from the topics, while its shard's lanes stand still for\n"
      "some milliseconds, and leaves a record in the table `repairs`. Reads and writes go on.\n"
      "Exit 0: all is mended. Exit 2: something is left, or with --dry-run to be mended.\n\n"
      "Examples:\n  fanfold repair --dry-run\n  fanfold repair && fanfold verify\n");
  verb->final_callback([&to] { to.command.verb = to.repair; });
}

void AddGenerate(CLI::App& app, Targets& to) {
  CLI::App* verb = app.add_subcommand("generate", "Write a synthetic follow graph as TSV");
  verb->add_option("--users", to.graph.users, "How many users; about 3.16 follows each")
      ->required()
      ->check(CLI::Range(std::uint64_t{1}, operations::kGraphUsersMax));
  verb->add_option("--seed", to.graph.seed, "The same seed gives the same graph everywhere")
      ->capture_default_str();
  verb->footer(
      "40 % of the users follow 7.9 others on average, 35 % are followed, 26 % both; a few have\n"
      "very many fans. Needs no deployment. Lines of TSV, with --json of JSON, as import reads.\n\n"
      "Examples:\n  fanfold generate --users 1000000 | gzip > graph.tsv.gz\n"
      "  fanfold generate --users 1000 --seed 7 | fanfold import -\n");
  verb->final_callback([&to] { to.command.verb = to.graph; });
}

void AddCommon(CLI::App& app, Targets& to) {
  app.set_version_flag("--version", std::string("fanfold ") + FANFOLD_VERSION);
  CLI::Option* config = app.add_option("--config", to.config, "The deployment's file of TOML");
  config->check(WhyNoPath);
  app.add_option("--dir", to.dir, "The embedded deployment's folder")
      ->excludes(config)
      ->check(WhyNoPath);
  app.add_flag("--json", to.command.json, "Answer in JSON");
  AddSettingFlags(app, Program::kVerbs, "", to.command.deployment.flags);
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(
      "Without --config or --dir the deployment is that of the file FANFOLD_CONFIG; else the one\n"
      "that settings name: FANFOLD_KAFKA_BROKERS or FANFOLD_SHARDS on servers, FANFOLD_FOLDER\n"
      "in a folder; else the one that runs: of `make stack` in ./var/stack, of `fanfold serve` in\n"
      "./var/fanfold. Two are refused. A folder that nobody serves is opened and folded to its\n"
      "log's end first. Settings are options, too: every verb takes those that `fanfold config\n"
      "reference` lists as taken by verbs; `serve` takes its own as well (`fanfold serve "
      "--help`).\n"
      "Options may stand before or after the verb.\n"
      "Exit codes: 0 fine, 1 error, 2 differences found or time out, 3 refused.\n\n"
      "Examples:\n  fanfold import follows.tsv.gz && fanfold wait && fanfold status\n"
      "  fanfold help import\n");
}

std::string WhyNotUnderstood(const CLI::App& app, const CLI::ParseError& error) {
  const auto is = [&error](CLI::ExitCodes code) {
    return error.get_exit_code() == static_cast<int>(code);
  };
  // The help of a verb that there is not would be that of all.
  if (error.get_name() == "CallForHelp") return WhyUnknownVerb(app);
  if (!is(CLI::ExitCodes::RequiredError) && !is(CLI::ExitCodes::ExtrasError)) return {};
  std::string unknown = WhyNoOption(app);
  if (unknown.empty() && is(CLI::ExitCodes::RequiredError)) unknown = WhyNoVerb(app);
  return unknown;
}

}  // namespace

std::string NamesOfProjections() {
  std::string names;
  for (const Projection projection : Projection::All()) {
    names += (names.empty() ? "" : ", ") + std::string(ToString(projection));
  }
  return names;
}

std::string CheckAboveZero(const std::string& text) {
  return ParseNonNegative(text).value_or(0) > 0 ? std::string()
                                                : "not a whole number above 0: " + text;
}

std::expected<CommandLine, CommandLineEnd> ParseCommandLine(int argc, const char* const* argv,
                                                            const std::optional<std::string>& who) {
  Targets to;
  CLI::App app("The operator's command of Fanfold, which keeps who follows whom.", "fanfold");
  AddCommon(app, to);
  AddServe(app, to);
  AddInit(app, to);
  AddFeed(app, to.command.verb);
  AddIdentity(app, to.command.verb);
  AddConfig(app, to.command.verb);
  AddToken(app, to.command.verb);
  AddImport(app, to.command.verb);
  AddExport(app, to);
  AddWait(app, to);
  AddStatus(app, to);
  AddLane(app, to.command.verb, who);
  AddVerify(app, to);
  AddRepair(app, to);
  AddRebuild(app, to.command.verb);
  AddConsole(app, to.command.verb);
  AddDoctor(app, to.command.verb);
  AddExplain(app, to.command.verb);
  AddErase(app, to.command.verb);
  AddParked(app, to.command.verb);
  AddTail(app, to.command.verb);
  AddGenerate(app, to);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    const std::string unknown = WhyNoHelp(app, words);
    if (!unknown.empty()) return std::unexpected(CommandLineEnd{ExitCode::kError, unknown});
    words.emplace_back("--help");
  }
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = WhyNotUnderstood(app, error);
    if (!unknown.empty()) return std::unexpected(CommandLineEnd{ExitCode::kError, unknown});
    std::ostringstream out;
    std::ostringstream err;
    const bool asked = app.exit(error, out, err) == 0;
    return std::unexpected(CommandLineEnd{asked ? ExitCode::kFine : ExitCode::kError,
                                          asked ? out.str() : out.str() + err.str()});
  }
  to.command.program = argv[0];
  if (!to.config.empty()) to.command.deployment.config_file = to.config;
  if (!to.dir.empty()) to.command.deployment.embedded_dir = to.dir;
  return to.command;
}

}  // namespace fanfold
