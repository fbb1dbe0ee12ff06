#include "operations/log/line_source.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace fanfold::operations {
namespace {

constexpr std::size_t kLineMax = 10;

class LineSourceTest : public ::testing::Test {
 protected:
  LineSourceTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             ("fanfold-" + std::string(test->name()) + "-" + std::to_string(::getpid())))
                .string();
  }
  ~LineSourceTest() override { std::filesystem::remove(path_); }

  void WritePlain(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  void WriteGzip(const std::string& text) {
    const gzFile file = gzopen(path_.c_str(), "wb");
    ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
    gzclose(file);
  }

  // "<too long>" stands for a line that was passed over, "<error>" ends with one.
  std::vector<std::string> ReadAll() {
    std::vector<std::string> lines;
    Result<LineSource> source = LineSource::Open(path_, kLineMax);
    if (!source) return {"<error>"};
    while (true) {
      const auto line = source->Next();
      if (!line) lines.emplace_back("<error>");
      if (!line || !line->has_value()) return lines;
      lines.push_back((*line)->too_long ? "<too long>" : std::string((*line)->text));
    }
  }

  std::string path_;
};

using Lines = std::vector<std::string>;

TEST_F(LineSourceTest, PlainLinesWithAnyEnd) {
  WritePlain("a\r\n\nb\nc");
  EXPECT_EQ(ReadAll(), (Lines{"a", "", "b", "c"}));
}

TEST_F(LineSourceTest, EmptyFileHasNoLines) {
  WritePlain("");
  EXPECT_EQ(ReadAll(), Lines{});
}

TEST_F(LineSourceTest, GzipIsRecognised) {
  WriteGzip("1\t2\n3\t4\n");
  EXPECT_EQ(ReadAll(), (Lines{"1\t2", "3\t4"}));
}

TEST_F(LineSourceTest, ByteOrderMarkAtTheStartIsSkipped) {
  WritePlain(
      "\xEF\xBB\xBF"
      "0123456789\n\xEF\xBB\xBF"
      "b\n");
  EXPECT_EQ(ReadAll(), (Lines{"0123456789",
                              "\xEF\xBB\xBF"
                              "b"}));
  WriteGzip(
      "\xEF\xBB\xBF"
      "1\t2\n");
  EXPECT_EQ(ReadAll(), (Lines{"1\t2"}));
  WritePlain("\xEF\xBB\xBF");
  EXPECT_EQ(ReadAll(), Lines{});
  WritePlain("\xEF\xBB");
  EXPECT_EQ(ReadAll(), (Lines{"\xEF\xBB"}));
}

TEST_F(LineSourceTest, GzipThatEndsEarlyIsAnError) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  WriteGzip(text);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  EXPECT_EQ(ReadAll().back(), "<error>");
}

TEST_F(LineSourceTest, LongestLineIsReadAndOneLongerPassedOver) {
  WritePlain("0123456789\n0123456789x\n0123456789\r\nb\n0123456789x");
  EXPECT_EQ(ReadAll(), (Lines{"0123456789", "<too long>", "0123456789", "b", "<too long>"}));
}

TEST_F(LineSourceTest, LineLongerThanTheBufferIsOneBadLine) {
  WritePlain("a\n" + std::string(5'000'000, 'x') + "\nb\n" + std::string(3'000'000, 'y'));
  EXPECT_EQ(ReadAll(), (Lines{"a", "<too long>", "b", "<too long>"}));
}

TEST_F(LineSourceTest, LinesAcrossBuffersStayWhole) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += std::to_string(i) + "\n";
  WritePlain(text);
  const Lines lines = ReadAll();
  ASSERT_EQ(lines.size(), 500'000U);
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i], std::to_string(i));
}

TEST_F(LineSourceTest, ProgressIsInBytesOfTheFile) {
  WriteGzip(std::string(100'000, '\n'));
  Result<LineSource> source = LineSource::Open(path_, kLineMax);
  ASSERT_TRUE(source);
  while (source->Next().value()) {
  }
  EXPECT_EQ(source->bytes_total(), static_cast<std::int64_t>(std::filesystem::file_size(path_)));
  EXPECT_EQ(source->bytes_read(), source->bytes_total());
}

TEST_F(LineSourceTest, MissingFileIsRefused) {
  const auto source = LineSource::Open(path_ + "-none", kLineMax);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(LineSourceTest, FolderIsAnError) {
  std::filesystem::create_directory(path_);
  EXPECT_EQ(ReadAll(), Lines{"<error>"});
}

}  // namespace
}  // namespace fanfold::operations
