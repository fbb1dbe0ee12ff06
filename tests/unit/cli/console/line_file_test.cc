#include "cli/console/line_file.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fanfold::console {
namespace {

class LineFileTest : public ::testing::Test {
 protected:
  bool Write(std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), file_->file()) == text.size();
  }
  void End() { file_.reset(); }

  std::vector<std::string> told_;
  std::unique_ptr<LineFile> file_ = std::make_unique<LineFile>([this](std::string_view line) {
    told_.emplace_back(line);
    return true;
  });
  const std::string too_long_ = std::string(LineFile::kLineBytesMax + (1 << 20), 'x');
};

TEST_F(LineFileTest, TellsEachLineAndWhatStandsBehindTheLast) {
  EXPECT_TRUE(Write("one\n\ntw"));
  EXPECT_TRUE(Write("o\nrest"));
  End();
  EXPECT_EQ(told_, (std::vector<std::string>{"one", "", "two", "rest"}));
}

TEST_F(LineFileTest, OfALineThatIsTooLongNothingIsTold) {
  EXPECT_TRUE(Write("before\n"));
  EXPECT_TRUE(Write(std::string(1'000, 'a')));
  EXPECT_FALSE(Write(too_long_));
  EXPECT_EQ(errno, EMSGSIZE);
  EXPECT_TRUE(Write("its end\n"));
  EXPECT_TRUE(Write("after\n"));
  End();
  EXPECT_EQ(told_, (std::vector<std::string>{"before", "after"}));
}

TEST_F(LineFileTest, WhatStandsBehindItInOneWriteIsTold) {
  std::setvbuf(file_->file(), nullptr, _IONBF, 0);
  EXPECT_FALSE(Write("before\n" + too_long_ + "\nafter\n"));
  EXPECT_EQ(errno, EMSGSIZE);
  End();
  EXPECT_EQ(told_, (std::vector<std::string>{"before", "after"}));
}

TEST_F(LineFileTest, ALineOfTheMostBytesIsTold) {
  const std::string most(LineFile::kLineBytesMax, 'x');
  EXPECT_TRUE(Write(most + "\n"));
  End();
  EXPECT_EQ(told_, std::vector<std::string>{most});
}

}  // namespace
}  // namespace fanfold::console
