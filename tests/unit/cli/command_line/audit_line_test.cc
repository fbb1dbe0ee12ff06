#include "cli/command_line/audit_line.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <pwd.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace fanfold {
namespace {

bool DoesChange(std::vector<const char*> words) {
  words.insert(words.begin(), "fanfold");
  const auto command = ParseCommandLine(static_cast<int>(words.size()), words.data());
  EXPECT_TRUE(command) << command.error().text;
  return command && Changes(command->verb);
}

TEST(AuditLine, IsOfVerbsThatChangeSomething) {
  using Words = std::vector<const char*>;
  for (const Words& words :
       {Words{"init"}, Words{"import", "f"}, Words{"lane", "pause", "fans"},
        Words{"lane", "resume", "fans"}, Words{"lane", "rewind", "fans", "--to", "0"},
        Words{"repair"}, Words{"rebuild", "start", "fans"}, Words{"parked", "replay", "3:1"},
        Words{"parked", "drop", "3:1"}, Words{"token", "make", "--scopes", "operate"},
        Words{"token", "revoke", "0123456789ab"}}) {
    EXPECT_TRUE(DoesChange(words)) << words[0] << ' ' << (words.size() > 1 ? words[1] : "");
  }
  for (const Words& words : {Words{"status"}, Words{"doctor"}, Words{"verify"},
                             Words{"token", "list"}, Words{"lane", "list"}, Words{"parked", "list"},
                             Words{"tail"}, Words{"config", "print"}, Words{"wait"}}) {
    EXPECT_FALSE(DoesChange(words)) << words[0];
  }
}

class AuditLineTest : public ::testing::Test {
 protected:
  void TearDown() override {
    unsetenv("SUDO_USER");
    unsetenv("SSH_CONNECTION");
  }
  const std::string me_ = getpwuid(getuid())->pw_name;
};

TEST_F(AuditLineTest, SaysWhoWhatFromWhereAndHowItEnded) {
  setenv("SSH_CONNECTION", "10.0.0.9 50000 10.0.0.1 22", 1);
  unsetenv("SUDO_USER");
  const std::vector<const char*> words = {"fanfold", "lane", "pause", "fans"};
  EXPECT_EQ(
      AuditLine(CallerOfProcess(), words, ExitCode::kRefused),
      R"({"who":")" + me_ + R"(","from":"10.0.0.9","what":"fanfold lane pause fans","exit":3})");
  setenv("SUDO_USER", "ada", 1);
  EXPECT_NE(AuditLine(CallerOfProcess(), words, ExitCode::kFine).find(me_ + " (sudo by ada)"),
            std::string::npos);
}

TEST_F(AuditLineTest, HasNoPasswordAndIsOneLine) {
  const std::vector<const char*> words = {"fanfold", "--shards", "mysql://ann:Pa55@db/s", "import",
                                          "a\nb\"\x1b[31m"};
  const std::string line = AuditLine(CallerOfProcess(), words, ExitCode::kFine);
  EXPECT_EQ(line.find("Pa55"), std::string::npos);
  EXPECT_NE(line.find("mysql://ann:***@db/s"), std::string::npos);
  for (const char bad : {'\n', '\x1b'}) EXPECT_EQ(line.find(bad), std::string::npos);
}

TEST_F(AuditLineTest, HasNoToken) {
  const std::string secret(64, 'a');
  const std::string token = "0123456789ab_" + secret;
  const std::string joined = "--token-file=" + token;
  const std::vector<const char*> words = {"fanfold",      "token",
                                          "revoke",       token.c_str(),
                                          joined.c_str(), "eyJhbGciOiJub25lIn0.eyJzdWIi.c2ln"};
  const std::string line = AuditLine(CallerOfProcess(), words, ExitCode::kError);
  for (const std::string_view bad : {std::string_view(secret), std::string_view("c2ln")}) {
    EXPECT_EQ(line.find(bad), std::string::npos) << line;
  }
  EXPECT_NE(line.find("token revoke 0123456789ab_*** --token-file=0123456789ab_*** eyJ***"),
            std::string::npos)
      << line;
}

}  // namespace
}  // namespace fanfold
