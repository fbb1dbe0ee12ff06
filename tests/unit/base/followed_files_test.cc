#include "common/base/followed_files.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/support/temp_folder.h"

namespace fanfold {
namespace {

using ::testing::HasSubstr;

class FollowedFilesTest : public ::testing::Test {
 protected:
  void Write(const std::string& first, const std::string& second) {
    std::ofstream(first_) << first;
    std::ofstream(second_) << second;
  }
  bool Shows(int broken) {
    return metrics_.Text().find("broken " + std::to_string(broken)) != std::string::npos;
  }

  testing::TempFolder folder_;
  const std::string first_ = folder_.path() + "/first";
  const std::string second_ = folder_.path() + "/second";
  std::vector<std::string> taken_;
  Metrics metrics_;
  Gauge& broken_ = metrics_.GetGauge("broken", "");
  FollowedFiles files_{{first_, second_}, 8, [this](std::span<const std::string> texts) -> Status {
                         if (texts[0] == "bad") return Fail(ErrorCode::kInvalidArgument, "no good");
                         taken_.push_back(texts[0] + "," + texts[1]);
                         return {};
                       }};
};

TEST_F(FollowedFilesTest, AreTakenOnceForEachContent) {
  Write("a", "b");
  EXPECT_TRUE(files_.Look());
  EXPECT_TRUE(files_.Look());
  Write("ab", "");
  files_.LookAgain();
  EXPECT_EQ(taken_, (std::vector<std::string>{"a,b", "ab,"}));
}

TEST_F(FollowedFilesTest, ThatCannotBeTakenChangeNothingAndAreTold) {
  Write("a", "b");
  EXPECT_TRUE(files_.Look());
  Write("bad", "b");
  EXPECT_THAT(files_.Look().error().message, HasSubstr(first_ + ", " + second_ + ": no good"));
  files_.LookAgain(&broken_);
  EXPECT_TRUE(Shows(1));
  Write("a", "b");
  files_.LookAgain(&broken_);
  EXPECT_TRUE(Shows(0));
  EXPECT_EQ(taken_, std::vector<std::string>{"a,b"});
}

TEST_F(FollowedFilesTest, ThatAreMissingOrTooLargeAreNamed) {
  EXPECT_THAT(files_.Look().error().message, HasSubstr(first_ + ": cannot be opened"));
  Write("12345678", "123456789");
  EXPECT_THAT(files_.Look().error().message, HasSubstr(second_ + ": is too large"));
  Write("12345678", "");
  EXPECT_TRUE(files_.Look());
}

}  // namespace
}  // namespace fanfold
