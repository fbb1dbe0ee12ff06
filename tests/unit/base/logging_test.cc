#include "common/base/logging.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace fanfold {
namespace {

// What is written to stderr by one call, after the logger has been told who speaks.
template <class Write>
std::string LinesOf(const Write& write) {
  StartLogging("writer \"1\"", LogLevel::kInfo);
  ::testing::internal::CaptureStderr();
  write();
  return ::testing::internal::GetCapturedStderr();
}

TEST(Logging, ALineIsOneJsonObject) {
  const std::string line =
      LinesOf([] { LogWarning("log \"away\"\n", {{"error", "x\ty"}, {"port", 8081}}); });
  ASSERT_EQ(line.find('\n'), line.size() - 1) << line;
  const auto object = nlohmann::json::parse(line);
  EXPECT_EQ(object.at("level"), "warning");
  EXPECT_EQ(object.at("service"), "writer \"1\"");
  EXPECT_EQ(object.at("msg"), "log \"away\"\n");
  EXPECT_EQ(object.at("error"), "x\ty");
  EXPECT_EQ(object.at("port"), 8081);
  EXPECT_TRUE(object.at("ts").get<std::string>().ends_with("Z"));
}

TEST(Logging, TextThatIsNotUtf8IsStillALine) {
  const std::string line = LinesOf([] { LogInfo("m", {{"key", std::string("\xff%v")}}); });
  EXPECT_TRUE(nlohmann::json::accept(line)) << line;
}

// C1's CSI, a right-to-left override, DEL, a zero-width space, a letter.
TEST(Logging, NoTextMovesTheCursorOrTurnsALineAround) {
  const std::string text = "/v1/\x1b[2J\xc2\x9b[2J\xe2\x80\xae\x7f\xe2\x80\x8b\xc3\xa9\r";
  const std::string line = LinesOf([&] { LogWarning(text, {{"what", text}}); });
  const auto is_plain = [](char c) { return (c >= 0x20 && c < 0x7f) || c == '\n'; };
  EXPECT_TRUE(std::ranges::all_of(line, is_plain)) << line;
  EXPECT_EQ(nlohmann::json::parse(line).at("msg"), text);
  EXPECT_EQ(nlohmann::json::parse(line).at("what"), text);
}

TEST(Logging, BelowTheLowestLevelNothingIsWritten) {
  EXPECT_EQ(LinesOf([] { Log(LogLevel::kDebug, "unseen"); }), "");
}

TEST(Logging, WhoeverSilencesItIsSeen) {
  const LogLevel before = LowestLogged();
  for (const auto& [from, to] : {std::pair(LogLevel::kInfo, LogLevel::kError),
                                 std::pair(LogLevel::kError, LogLevel::kDebug)}) {
    const std::string line = LinesOf([from = from, to = to] {
      SetLogLevel(from);
      SetLogLevel(to, "changed", {{"who", "ada"}});
      LogWarning("unseen");
    });
    EXPECT_NE(line.find(R"("who":"ada")"), line.npos) << line;
    EXPECT_EQ(line.contains("unseen"), to != LogLevel::kError) << line;
    EXPECT_EQ(LowestLogged(), to);
  }
  SetLogLevel(before);
}

TEST(Logging, TheJournalIsToldThePriority) {
  ::testing::internal::CaptureStderr();
  struct stat is{};
  ASSERT_EQ(::fstat(STDERR_FILENO, &is), 0);
  const std::string here = std::to_string(is.st_dev) + ":" + std::to_string(is.st_ino);
  for (const std::string& stream : {here, std::string("1:1")}) {
    ::setenv("JOURNAL_STREAM", stream.c_str(), 1);
    StartLogging("writer", LogLevel::kInfo);
    LogInfo("info");
    LogWarning("warning");
    LogError("error");
  }
  ::unsetenv("JOURNAL_STREAM");
  StartLogging("writer", LogLevel::kInfo);
  std::istringstream lines(::testing::internal::GetCapturedStderr());
  std::string begins;
  for (std::string line; std::getline(lines, line);) begins += line.substr(0, 3) + ' ';
  EXPECT_EQ(begins, R"(<6> <4> <3> {"t {"t {"t )");
}

}  // namespace
}  // namespace fanfold
