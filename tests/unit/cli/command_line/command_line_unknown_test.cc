// Words that nobody knows, and those that ask for help.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "cli/command_line/command_line.h"

namespace fanfold {
namespace {

using UnknownWordsTyped = std::vector<const char*>;

std::expected<CommandLine, CommandLineEnd> ParseTyped(UnknownWordsTyped words) {
  words.insert(words.begin(), "fanfold");
  return ParseCommandLine(static_cast<int>(words.size()), words.data());
}

TEST(UnknownWords, WhatIsNoVerbIsNamedWithTheNearest) {
  const auto told = [](const UnknownWordsTyped& words) { return ParseTyped(words).error().text; };
  EXPECT_TRUE(told({"stauts"})
                  .starts_with("fanfold knows no verb stauts; the nearest is `fanfold "
                               "status`"))
      << told({"stauts"});
  EXPECT_TRUE(told({"--json", "verfy"})
                  .starts_with("fanfold knows no verb verfy; the nearest is "
                               "`fanfold verify`"));
  EXPECT_TRUE(told({"lane", "rezume", "fans"})
                  .starts_with("fanfold lane knows no verb rezume; the nearest is `fanfold lane "
                               "resume`"))
      << told({"lane", "rezume", "fans"});
  EXPECT_TRUE(told({"parked", "replace"}).starts_with("fanfold parked knows no verb replace"));
  EXPECT_TRUE(told({"stauts", "--help"}).starts_with("fanfold knows no verb stauts"));
  EXPECT_EQ(told({}), "fanfold wants a verb: `fanfold --help` names them");
  EXPECT_EQ(told({"lane"}), "fanfold lane wants a verb: `fanfold lane --help` names them");
}

TEST(UnknownWords, WhatIsNoOptionIsNamedWithTheNearest) {
  struct Case {
    UnknownWordsTyped words;
    std::string begins;
  };
  const std::vector<Case> cases = {
      {{"-v"}, "fanfold knows no option -v; the nearest is --version\n"},
      {{"--verison"}, "fanfold knows no option --verison; the nearest is --version\n"},
      {{"import", "--hlep"}, "fanfold import knows no option --hlep; the nearest is --help\n"},
      {{"import", "f", "--stirct"},
       "fanfold import knows no option --stirct; the nearest is --strict"},
      {{"status", "--dri=d"}, "fanfold status knows no option --dri; the nearest is --dir\n"},
      {{"lane", "pause", "fans", "--raeson", "x"},
       "fanfold lane pause knows no option --raeson; the nearest is --reason\n"},
      {{"status", "--reader-prot", "1"},
       "fanfold status knows no option --reader-prot; the nearest is --reader-port\n"},
      {{"--conifg", "c"}, "fanfold knows no option --conifg; the nearest is --config\n"},
      {{"status", "--yolo-mode"}, "fanfold status knows no option --yolo-mode\nRun"},
      {{"status", "--zzzzzzzz"}, "fanfold status knows no option --zzzzzzzz\nRun"}};
  for (const auto& [words, begins] : cases) {
    const auto command = ParseTyped(words);
    ASSERT_FALSE(command) << begins;
    EXPECT_EQ(command.error().code, ExitCode::kError);
    EXPECT_TRUE(command.error().text.starts_with(begins)) << command.error().text;
  }
  EXPECT_TRUE(ParseTyped({"import"}).error().text.contains("FILE is required"));
  EXPECT_TRUE(ParseTyped({"status", "now"}).error().text.contains("now"));
}

TEST(UnknownWords, HelpIsAWordToo) {
  for (UnknownWordsTyped words : {UnknownWordsTyped{"status"}, {"lane", "resume"}, {"export"}}) {
    words.push_back("--help");
    const std::string text = ParseTyped(words).error().text;
    words.pop_back();
    words.insert(words.begin(), "help");
    const auto asked = ParseTyped(words);
    EXPECT_EQ(asked.error().code, ExitCode::kFine);
    EXPECT_EQ(asked.error().text, text);
  }
  EXPECT_EQ(ParseTyped({"help"}).error().text, ParseTyped({"--help"}).error().text);
  const auto unknown = ParseTyped({"help", "lane", "rezume"});
  EXPECT_EQ(unknown.error().code, ExitCode::kError);
  EXPECT_TRUE(unknown.error().text.contains("the nearest is `fanfold lane resume`"));
}

TEST(UnknownWords, BackupAndRestoreAreFound) {
  for (const char* word : {"backup", "restore"}) {
    EXPECT_TRUE(ParseTyped({"--help"}).error().text.contains(word)) << word;
  }
}

}  // namespace
}  // namespace fanfold
