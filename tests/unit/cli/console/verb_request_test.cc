#include "cli/console/verb_request.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/base/json_text.h"

namespace fanfold::console {
namespace {

const std::string kWho = "ada";

using Words = std::vector<std::string>;

std::string BodyOf(const Words& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + JsonQuoted(word);
  return fmt::format(R"({{"args":[{}]}})", list);
}

TEST(VerbRequest, TakesWhatLooksAndWhatOrders) {
  for (const Words& words : {Words{"status"},
                             Words{"status", "--all"},
                             Words{"wait", "--timeout", "1"},
                             Words{"lane", "list"},
                             Words{"lane", "pause", "fans/3", "--reason", "lunch"},
                             Words{"lane", "resume", "fans"},
                             Words{"lane", "rewind", "fans", "--to", "0"},
                             Words{"verify"},
                             Words{"repair", "--dry-run"},
                             Words{"rebuild", "status"},
                             Words{"rebuild", "start", "fans"},
                             Words{"rebuild", "promote", "fans"},
                             Words{"rebuild", "fans", "--yes"},
                             Words{"explain", "1", "2"},
                             Words{"explain", "1"},
                             Words{"explain", "feed", "1", "2", "3"},
                             Words{"erase", "7"},
                             Words{"doctor"},
                             Words{"doctor", "--fix", "--yes"},
                             Words{"parked", "list"},
                             Words{"parked", "show", "3:1"},
                             Words{"parked", "replay", "3:1", "--dry-run"},
                             Words{"parked", "drop", "3:1"}}) {
    const auto request = ParseVerbRequest(BodyOf(words), kWho);
    ASSERT_TRUE(request) << BodyOf(words) << request.error().why;
    EXPECT_EQ(request->arguments, words);
    EXPECT_TRUE(request->command.json);
  }
}

TEST(VerbRequest, RefusesWhatIsForATerminal) {
  for (const Words& words :
       {Words{"serve"}, Words{"console"}, Words{"init"}, Words{"import", "/etc/passwd"},
        Words{"export", "--log", "/tmp/x"}, Words{"generate", "--users", "1"},
        Words{"token", "make", "--scopes", "operate"}, Words{"token", "list"},
        Words{"config", "print"}, Words{"config", "check"}, Words{"identity", "show"},
        Words{"identity", "renew"}, Words{"feed", "mode", "pull"}, Words{"tail"},
        // It would go on for ever, and ask on the terminal of the process.
        Words{"status", "--watch"}, Words{"rebuild", "fans"}, Words{"doctor", "--fix"}}) {
    const auto request = ParseVerbRequest(BodyOf(words), kWho);
    ASSERT_FALSE(request) << BodyOf(words);
    EXPECT_TRUE(request.error().is_forbidden) << BodyOf(words) << request.error().why;
  }
}

TEST(VerbRequest, CountsLettersNotBytes) {
  for (const std::string letter : {"a", "я", "語"}) {
    std::string reason;
    for (std::size_t i = 0; i < kArgumentLettersMax; ++i) reason += letter;
    EXPECT_TRUE(ParseVerbRequest(BodyOf({"lane", "pause", "fans", "--reason", reason}), kWho))
        << letter;
    reason += letter;
    EXPECT_FALSE(ParseVerbRequest(BodyOf({"lane", "pause", "fans", "--reason", reason}), kWho))
        << letter;
  }
}

TEST(VerbRequest, RefusesToChooseADeploymentOrASetting) {
  for (const Words& words :
       {Words{"status", "--dir", "/srv/other"}, Words{"--config", "/etc/other.toml", "status"},
        Words{"status", "--kafka-brokers", "evil:9092"},
        Words{"--token-file", "/etc/other", "status"}}) {
    const auto request = ParseVerbRequest(BodyOf(words), kWho);
    ASSERT_FALSE(request) << BodyOf(words);
    EXPECT_TRUE(request.error().is_forbidden) << request.error().why;
    EXPECT_NE(request.error().why.find("deployment"), std::string::npos);
  }
}

TEST(VerbRequest, SaysWhatIsNoCommandLine) {
  for (const Words& words : {Words{"stauts"}, Words{"explain", "1", "x"}, Words{"lane"},
                             Words{"status", "--nothing"}, Words{"--help"}, Words{""}}) {
    const auto request = ParseVerbRequest(BodyOf(words), kWho);
    ASSERT_FALSE(request) << BodyOf(words);
    EXPECT_FALSE(request.error().is_forbidden) << BodyOf(words);
    EXPECT_FALSE(request.error().why.empty());
  }
}

TEST(VerbRequest, RefusesOtherBodies) {
  const std::string long_one(kArgumentLettersMax + 1, '1');
  for (const std::string& body :
       {std::string(), std::string("{}"), std::string("[\"status\"]"),
        std::string(R"({"args":[]})"), std::string(R"({"args":"status"})"),
        std::string(R"({"args":[1]})"), std::string(R"({"args":["status"],"dir":"/"})"),
        std::string(R"({"args":["status"],"args":["serve"]})"),
        std::string(R"({"args":[["status"]]})"), std::string("{\"args\":[\"sta\\u0000tus\"]}"),
        BodyOf({"explain", long_one}), BodyOf(Words(kArgumentsMax + 1, "1"))}) {
    const auto request = ParseVerbRequest(body, kWho);
    ASSERT_FALSE(request) << body;
    EXPECT_FALSE(request.error().is_forbidden) << body;
  }
}

}  // namespace
}  // namespace fanfold::console
