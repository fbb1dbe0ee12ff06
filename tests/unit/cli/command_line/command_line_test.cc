#include "cli/command_line/command_line.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "cli/command_line/audit_line.h"

namespace fanfold {
namespace {

std::expected<CommandLine, CommandLineEnd> Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "fanfold");
  return ParseCommandLine(static_cast<int>(words.size()), words.data());
}

TEST(CommandLine, OptionsStandBeforeOrAfterTheVerb) {
  for (const auto& words : {std::vector<const char*>{"--config", "c", "--json", "status"},
                            std::vector<const char*>{"status", "--json", "--config", "c"},
                            std::vector<const char*>{"--json", "status", "--config=c"}}) {
    const auto command = Parse(words);
    ASSERT_TRUE(command) << command.error().text;
    EXPECT_EQ(command->deployment.config_file, "c");
    EXPECT_TRUE(command->json);
    EXPECT_TRUE(std::holds_alternative<StatusOptions>(command->verb));
  }
}

TEST(CommandLine, CommonOptionsReachVerbsOfVerbs) {
  const auto command = Parse({"parked", "list", "--limit", "5", "--json", "--dir", "d"});
  ASSERT_TRUE(command) << command.error().text;
  EXPECT_EQ(command->deployment.embedded_dir, "d");
  const auto* options = std::get_if<ParkedListOptions>(&command->verb);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->limit, 5U);
  EXPECT_FALSE(options->projection);
}

TEST(CommandLine, APauseWithoutAReasonSaysWhoAsked) {
  const auto reason_of = [](const std::vector<const char*>& words) {
    return std::get<operations::LaneOrderOptions>(Parse(words)->verb).reason;
  };
  EXPECT_EQ(reason_of({"lane", "pause", "fans"}), "by " + CallingUser());
  EXPECT_EQ(reason_of({"lane", "pause", "fans", "--reason", "lunch"}), "lunch");
}

TEST(CommandLine, ImportTakesStdinAndFormat) {
  const auto command = Parse({"import", "-", "--format", "jsonl", "--strict"});
  ASSERT_TRUE(command) << command.error().text;
  const auto& options = std::get<ImportOptions>(command->verb);
  EXPECT_EQ(options.source.file, "-");
  EXPECT_EQ(options.source.layout.format, operations::ImportFormat::kJsonl);
  EXPECT_TRUE(options.strict);
  EXPECT_FALSE(std::get<ImportOptions>(Parse({"import", "f"})->verb).source.layout.format);
}

TEST(CommandLine, ImportIsToldColumnsAndTimes) {
  const auto layout_of = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"import", "f"});
    return std::get<ImportOptions>(Parse(words)->verb).source.layout;
  };
  const auto csv = layout_of({"--columns", "subject=a,object=b", "--time", "iso8601"});
  EXPECT_EQ(csv.columns, (operations::CsvColumns{"a", "b", std::nullopt}));
  EXPECT_EQ(csv.time, operations::TimeUnit::kIso8601);
  EXPECT_EQ(csv.of, operations::ImportOf::kFollows);
  EXPECT_EQ(layout_of({"--posts"}).of, operations::ImportOf::kPosts);
  EXPECT_EQ(layout_of({"--profiles", "--time", "s"}).of, operations::ImportOf::kProfiles);
  for (std::vector<const char*> wrong : {std::vector<const char*>{"--columns", "subject=a"},
                                         {"--time", "days"},
                                         {"--posts", "--profiles"},
                                         {"--log", "--profiles"},
                                         {"--profiles", "--format", "tsv"},
                                         {"--posts", "--columns", "subject=a,object=b"}}) {
    wrong.insert(wrong.begin(), {"import", "f"});
    EXPECT_FALSE(Parse(wrong)) << wrong[2];
  }
}

TEST(CommandLine, ImportWaitsUnlessItIsToldNotTo) {
  const auto options = std::get<ImportOptions>(Parse({"import", "f"})->verb);
  EXPECT_TRUE(options.waits);
  EXPECT_EQ(options.timeout_ms, 60'000);
  EXPECT_FALSE(std::get<ImportOptions>(Parse({"import", "f", "--no-wait"})->verb).waits);
  EXPECT_EQ(std::get<ImportOptions>(Parse({"import", "f", "--timeout", "0.5"})->verb).timeout_ms,
            500);
  EXPECT_FALSE(Parse({"import", "f", "--no-wait", "--timeout", "5"}));
  EXPECT_FALSE(Parse({"import", "--log", "f", "--no-wait"}));
  EXPECT_FALSE(Parse({"import", "f", "--no-wait", "--strict"})) << "what is refused is not known";
}

TEST(CommandLine, LogsAreExportedAndImported) {
  EXPECT_EQ(std::get<ExportLogOptions>(Parse({"export", "--log", "f"})->verb).file, "f");
  EXPECT_EQ(std::get<operations::ImportLogOptions>(Parse({"import", "--log", "-"})->verb).file,
            "-");
  EXPECT_FALSE(Parse({"export", "f"}));
  EXPECT_FALSE(Parse({"import", "--log", "f", "--strict"}));
  EXPECT_FALSE(Parse({"import", "--log", "f", "--format", "tsv"}));
}

TEST(CommandLine, RebuildsAreWholeOrAStep) {
  const auto whole = std::get<operations::RebuildOptions>(
      Parse({"rebuild", "fans", "--until", "2026-11-21T04:00:00Z", "--rate", "5"})->verb);
  EXPECT_EQ(whole.step, operations::RebuildStep::kWhole);
  EXPECT_EQ(whole.projections, std::vector{projections::kFans});
  EXPECT_EQ(whole.until_ms, 1'795'233'600'000);
  EXPECT_EQ(whole.rows_per_second, 5);
  EXPECT_FALSE(whole.yes);
  const auto cancel =
      std::get<operations::RebuildOptions>(Parse({"rebuild", "cancel", "--generation", "3"})->verb);
  EXPECT_EQ(cancel.step, operations::RebuildStep::kCancel);
  EXPECT_EQ(cancel.projections, AllProjections());
  EXPECT_EQ(cancel.generation, Generation(3));
  EXPECT_FALSE(Parse({"rebuild"}));
  EXPECT_FALSE(Parse({"rebuild", "edges"}));
  EXPECT_FALSE(Parse({"rebuild", "fans", "--until", "yesterday"}));
  EXPECT_FALSE(Parse({"rebuild", "start", "--rate", "0"}));
  EXPECT_FALSE(Parse({"rebuild", "retire", "--generation", "3"}));
}

TEST(CommandLine, DefaultsAreTheContracts) {
  EXPECT_EQ(std::get<WaitOptions>(Parse({"wait"})->verb).timeout_ms, 60'000);
  EXPECT_EQ(std::get<WaitOptions>(Parse({"wait", "--timeout", "0.5"})->verb).timeout_ms, 500);
  EXPECT_FALSE(std::get<operations::TailOptions>(Parse({"tail"})->verb).count);
  EXPECT_EQ(std::get<operations::GraphOptions>(Parse({"generate", "--users", "9"})->verb).seed, 1U);
}

TEST(CommandLine, PositionIsRead) {
  const auto command = Parse({"parked", "show", "3:1042", "--projection", "fans"});
  ASSERT_TRUE(command) << command.error().text;
  const auto& options = std::get<ParkedShowOptions>(command->verb);
  EXPECT_EQ(options.position, (Position{Partition(3), Offset(1042)}));
  EXPECT_EQ(options.projection, projections::kFans);
}

TEST(CommandLine, AnEdgeIsNamedByTwoIds) {
  const auto command = Parse({"explain", "1", "9223372036854775807"});
  ASSERT_TRUE(command) << command.error().text;
  const auto& options = std::get<ExplainOptions>(command->verb);
  EXPECT_EQ(options.subject, UserId(1));
  EXPECT_EQ(options.object, UserId(kUserIdMax));
  const auto feed = Parse({"explain", "feed", "1", "2", "7001", "--json"});
  ASSERT_TRUE(feed) << feed.error().text;
  EXPECT_TRUE(feed->json);
  const auto& post = std::get<ExplainOptions>(feed->verb);
  EXPECT_EQ(post.subject, UserId(1));
  EXPECT_EQ(post.object, UserId(2));
  EXPECT_EQ(post.post, PostId(7001));
  const auto alone = Parse({"explain", "1"});
  EXPECT_FALSE(std::get<ExplainOptions>(alone->verb).object);
}

TEST(CommandLine, ReplaysAndDropsAreNamedByPosition) {
  const auto options_of = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"parked", "replay"});
    const auto command = Parse(words);
    return command ? std::get<operations::ParkedReplayOptions>(command->verb)
                   : operations::ParkedReplayOptions();
  };
  EXPECT_EQ(options_of({"3:1", "4:2", "--dry-run"}).positions,
            (std::vector{Position{Partition(3), Offset(1)}, Position{Partition(4), Offset(2)}}));
  EXPECT_TRUE(options_of({"3:1", "--dry-run"}).dry_run);
  EXPECT_EQ(options_of({"--reason", "key_mismatch"}).reason, ParkReason::kKeyMismatch);
  EXPECT_TRUE(Parse({"parked", "replay", "--all"}));
  const auto drop = Parse({"parked", "drop", "3:1", "4:2"});
  ASSERT_TRUE(drop) << drop.error().text;
  EXPECT_EQ(std::get<operations::ParkedDropOptions>(drop->verb).positions.size(), 2U);
  const auto of_reason = Parse({"parked", "drop", "--reason", "malformed", "--projection", "fans"});
  ASSERT_TRUE(of_reason) << of_reason.error().text;
  EXPECT_EQ(std::get<operations::ParkedDropOptions>(of_reason->verb).reason,
            ParkReason::kMalformed);
  EXPECT_EQ(std::get<operations::ParkedDropOptions>(of_reason->verb).projection,
            projections::kFans);
  EXPECT_TRUE(Parse({"parked", "drop", "--all"}));
}

TEST(CommandLine, WrongOnesEndInOne) {
  const std::vector<std::vector<const char*>> kWrong = {{},
                                                        {"nonsense"},
                                                        {"import"},
                                                        {"import", "f", "--format", "xml"},
                                                        {"wait", "--timeout", "-1"},
                                                        {"wait", "--timeout", "soon"},
                                                        {"wait", "--timeout", "nan"},
                                                        {"generate"},
                                                        {"generate", "--users", "0"},
                                                        {"generate", "--users", "1000000001"},
                                                        {"parked"},
                                                        {"parked", "show"},
                                                        {"parked", "show", "3"},
                                                        {"parked", "list", "--limit", "0"},
                                                        {"parked", "list", "--projection", "x"},
                                                        {"parked", "drop"},
                                                        {"parked", "drop", "3"},
                                                        {"parked", "drop", "3:1", "--all"},
                                                        {"parked", "replay"},
                                                        {"parked", "replay", "3"},
                                                        {"parked", "replay", "3:1", "--all"},
                                                        {"parked", "replay", "--reason", "x"},
                                                        {"explain"},
                                                        {"rebuild", "start", "--rate", "0"},
                                                        {"verify", "--rate", "-1"},
                                                        {"explain", "0", "1"},
                                                        {"explain", "feed", "1", "2"},
                                                        {"explain", "feed", "1", "2", "0"},
                                                        {"explain", "1", "01"},
                                                        {"explain", "1", "x"},
                                                        {"explain", "1", "9223372036854775808"},
                                                        {"tail", "--count", "-1"},
                                                        {"status", "extra"},
                                                        {"status", "--config", "a", "--dir", "b"}};
  for (const auto& words : kWrong) {
    const auto command = Parse(words);
    ASSERT_FALSE(command) << (words.empty() ? "" : words.back());
    EXPECT_EQ(command.error().code, ExitCode::kError);
    EXPECT_FALSE(command.error().text.empty());
  }
}

using TypedWords = std::vector<const char*>;
const TypedWords kVerbs[] = {{"serve"},
                             {"init"},
                             {"import"},
                             {"export"},
                             {"wait"},
                             {"status"},
                             {"lane"},
                             {"lane", "list"},
                             {"lane", "pause"},
                             {"lane", "resume"},
                             {"lane", "rewind"},
                             {"verify"},
                             {"repair"},
                             {"rebuild"},
                             {"rebuild", "start"},
                             {"rebuild", "status"},
                             {"rebuild", "verify"},
                             {"rebuild", "promote"},
                             {"rebuild", "rollback"},
                             {"rebuild", "retire"},
                             {"rebuild", "cancel"},
                             {"doctor"},
                             {"explain"},
                             {"parked"},
                             {"parked", "list"},
                             {"parked", "show"},
                             {"parked", "replay"},
                             {"parked", "drop"},
                             {"tail"},
                             {"generate"}};

TEST(CommandLine, HelpOfEveryVerbTeachesByExample) {
  for (TypedWords words : kVerbs) {
    std::string verb = "fanfold";
    for (const char* word : words) verb += std::string(" ") + word;
    words.push_back("--help");
    const auto command = Parse(words);
    ASSERT_FALSE(command);
    EXPECT_EQ(command.error().code, ExitCode::kFine);
    const std::string& text = command.error().text;
    const std::size_t example = text.find("Example");
    ASSERT_NE(example, std::string::npos) << verb;
    EXPECT_NE(text.find("  " + verb, example), std::string::npos) << verb << "\n" << text;
  }
}

TEST(CommandLine, HelpIsTextThatATerminalShows) {
  for (TypedWords words : kVerbs) {
    words.push_back("--help");
    const std::string text = Parse(words).error().text;
    const auto is_control = [](char c) { return c != '\n' && (c == 0x7f || (c >= 0 && c < ' ')); };
    EXPECT_EQ(std::ranges::find_if(text, is_control), text.end()) << text;
  }
  const std::string refused = Parse({"import", "f", "--format", "xml"}).error().text;
  EXPECT_NE(refused.find("xml not in {csv,jsonl,tsv}"), std::string::npos) << refused;
}

TEST(CommandLine, HelpOfAStepIsItsOwn) {
  const std::string text = Parse({"rebuild", "rollback", "--help"}).error().text;
  EXPECT_EQ(text.find("Makes the next generation"), std::string::npos) << text;
}

TEST(CommandLine, VersionIsTold) {
  const auto command = Parse({"--version"});
  ASSERT_FALSE(command);
  EXPECT_EQ(command.error().code, ExitCode::kFine);
  EXPECT_EQ(command.error().text.find("fanfold 0."), 0U);
}

}  // namespace
}  // namespace fanfold
