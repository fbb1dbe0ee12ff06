#include "operations/log/line_source.h"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

namespace fanfold::operations {
namespace {

constexpr std::size_t kLineMax = 10;
using Lines = std::vector<std::string>;

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

  void AppendPlain(const std::string& text) {
    std::ofstream(path_, std::ios::binary | std::ios::app) << text;
  }
  std::string WhyNot() {
    const Result<LineSource> source = LineSource::Open(path_, kLineMax);
    return source ? "" : source.error().message;
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

TEST_F(LineSourceTest, OfAGzipThatWasCutTheWholeLinesAreGivenBeforeTheError) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(1'000'000 + i * 9) + "\n";
  WriteGzip(text);
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  Lines lines = ReadAll();
  ASSERT_GT(lines.size(), 10'000U);
  EXPECT_EQ(lines.back(), "<error>");
  lines.pop_back();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ASSERT_EQ(lines[i], std::to_string(1'000'000 + i * 9)) << "the last one, too, is whole";
  }
  WriteGzip("1\t2\n");
  std::filesystem::resize_file(path_, 12);
  EXPECT_EQ(ReadAll(), Lines{"<error>"}) << "nothing of it can be read";
}

TEST_F(LineSourceTest, GzipMayHaveSeveralMembersAndZerosBehindThem) {
  WriteGzip("a\n");
  const std::string first = std::string(
      std::istreambuf_iterator<char>(std::ifstream(path_, std::ios::binary).rdbuf()), {});
  WriteGzip("b\n");
  AppendPlain(first + std::string(512, '\0'));
  EXPECT_EQ(ReadAll(), (Lines{"b", "a"}));
}

TEST_F(LineSourceTest, WhatStandsBehindGzipIsAnErrorAndNotDropped) {
  WriteGzip("a\nb\n");
  AppendPlain("c\nd\n");
  EXPECT_EQ(ReadAll(), (Lines{"a", "b", "<error>"}));
}

TEST_F(LineSourceTest, GzipThatIsDamagedIsAnError) {
  WriteGzip("1\t2\n3\t4\n");
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(std::filesystem::file_size(path_)) - 8);
  file << "sums";
  file.close();
  EXPECT_EQ(ReadAll().back(), "<error>");
}

TEST_F(LineSourceTest, OtherPackedAndBinaryFilesAreRefusedWhole) {
  struct Case {
    std::string begin;
    const char* why;
  };
  const std::string text = "1\t2\n3\t4\n";
  for (const Case& one :
       {Case{std::string("\xFD"
                         "7zXZ\0",
                         6),
             "packed by xz: unpack it first, as `xz -dc "},
        Case{"PK\x03\x04", "packed by zip"}, Case{"BZh9", "packed by bzip2"},
        Case{"\x28\xB5\x2F\xFD", "packed by zstd"}, Case{"\x04\x22\x4D\x18", "packed by lz4"},
        Case{std::string(1, '\0'), "is no text: byte 0x00 stands at 0"},
        Case{"1\t2\n\x02", "is no text: byte 0x02 stands at 4"},
        Case{std::string("1\0\t\0", 4), "UTF-16 is taken where it begins with"}}) {
    WritePlain(one.begin + text);
    EXPECT_NE(WhyNot().find(one.why), std::string::npos) << WhyNot();
  }
  WriteGzip(text + std::string("\0", 1));
  EXPECT_NE(WhyNot().find("is no text"), std::string::npos) << "a tar, say";
}

TEST_F(LineSourceTest, Utf16IsConvertedWhereItSaysThatItIs) {
  WritePlain(
      std::string("\xFF\xFE"
                  "1\0\t\0"
                  "2\0\r\0\n\0\xFC\0",
                  14));
  EXPECT_EQ(ReadAll(), (Lines{"1\t2", "ü"}));
  WriteGzip(
      std::string("\xFE\xFF\0"
                  "1\0\n\xD8\x3D\xDE\x00",
                  10));
  EXPECT_EQ(ReadAll(), (Lines{"1", "\xF0\x9F\x98\x80"}));
  std::string wide;
  for (int i = 0; i < 100'000; ++i) {
    for (const char c : std::to_string(i) + '\n') wide.append({c, '\0'});
  }
  WritePlain("\xFF\xFE" + wide);
  const Lines lines = ReadAll();
  ASSERT_EQ(lines.size(), 100'000U);
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i], std::to_string(i));
}

TEST_F(LineSourceTest, Utf16ThatIsNoneIsAnErrorBehindItsWholeLines) {
  WritePlain(
      std::string("\xFF\xFE"
                  "a\0\n\0"
                  "b",
                  7));
  EXPECT_EQ(ReadAll(), (Lines{"a", "<error>"})) << "half a character";
  WritePlain(
      std::string("\xFF\xFE"
                  "a\0\n\0\x00\xDC"
                  "b\0\n\0",
                  12));
  EXPECT_EQ(ReadAll(), (Lines{"a", "<error>"})) << "half a pair";
}

TEST_F(LineSourceTest, CarriageReturnsEndLinesWhereNothingElseDoes) {
  WritePlain("1\t2\r3\t4\r");
  EXPECT_EQ(ReadAll(), (Lines{"1\t2", "3\t4"}));
  WritePlain("a\rb\nc");
  EXPECT_EQ(ReadAll(), (Lines{"a\rb", "c"}));
}

TEST_F(LineSourceTest, EndsInQuotedFieldsAreOfTheLine) {
  struct Case {
    std::string text;
    Lines lines;
  };
  const std::vector<Case> cases = {{"a,\"b\nc\"\nd\n", {"a,\"b\nc\"", "d"}},
                                   {"a,\"\"\"\n\"\"\"\nd", {"a,\"\"\"\n\"\"\"", "d"}},
                                   {"a, \"b\n\" ,c\n", {"a, \"b\n\" ,c"}},
                                   // A quote too many costs its own line alone.
                                   {"1,5\" a\n2,b\n3,6\" c\n", {"1,5\" a", "2,b", "3,6\" c"}},
                                   {"\"0\n23456789\n\ne\n", {"\"0", "23456789", "", "e"}},
                                   {"\"f\n1\n2", {"\"f", "1", "2"}},
                                   {"\"a\n\"b\",c\n1\n", {"\"a", "\"b\",c", "1"}},
                                   {"#,\"\n1,2\n#,\"\n", {"#,\"", "1,2", "#,\""}}};
  for (const auto& [text, lines] : cases) {
    WritePlain(text);
    Result<LineSource> source = LineSource::Open(path_, kLineMax);
    ASSERT_TRUE(source);
    source->JoinQuoted(',');
    Lines read;
    std::int64_t file_lines = 0;
    while (const std::optional<SourceLine> line = source->Next().value()) {
      read.emplace_back(line->too_long ? "<too long>" : line->text);
      file_lines += line->file_lines;
    }
    EXPECT_EQ(read, lines) << text;
    EXPECT_EQ(file_lines, std::ranges::count(text, '\n') + (text.ends_with('\n') ? 0 : 1)) << text;
  }
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

TEST_F(LineSourceTest, APipeThatSaysNothingMayBeInterrupted) {
  struct : Interrupt {
    bool WaitFor(std::int64_t /*timeout_ms*/) override { return true; }
  } interrupt;
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const int writer = open(path_.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  const auto source = LineSource::Open(path_, kLineMax, &interrupt);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::kTimeout);
  close(writer);
}

}  // namespace
}  // namespace fanfold::operations
