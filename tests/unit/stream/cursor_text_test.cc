#include "common/stream/cursor_text.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace fanfold {
namespace {

constexpr std::array<std::uint64_t, 2> kPlace = {1655884250592, 0x12345678};

bool IsTaken(std::string_view text, char version = '1') {
  std::array<std::uint64_t, 2> numbers{};
  return DecodeCursorText(text, numbers, version) && numbers == kPlace;
}

bool IsRefused(std::string_view text) {
  std::array<std::uint64_t, 2> two{};
  std::array<std::uint64_t, 1> one{};
  return !DecodeCursorText(text, two) && !DecodeCursorText(text, one);
}

TEST(CursorText, ComesBackInItsVersionAlone) {
  EXPECT_TRUE(IsTaken(EncodeCursorText(kPlace)));
  EXPECT_TRUE(IsTaken(EncodeCursorText(kPlace, '2'), '2'));
  EXPECT_FALSE(IsTaken(EncodeCursorText(kPlace, '2')));
}

TEST(CursorText, OneThatWasCutIsRefusedWherever) {
  const std::string whole = EncodeCursorText(kPlace);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_TRUE(IsRefused(whole.substr(0, length))) << length;
  }
}

TEST(CursorText, OneWithAnotherCharacterIsRefused) {
  const std::string whole = EncodeCursorText(kPlace);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const char other : std::string_view("0123456789abcdef-")) {
      std::string altered = whole;
      altered[i] = other;
      EXPECT_TRUE(altered == whole || IsRefused(altered)) << altered;
      altered = whole;
      altered.insert(i, 1, other);
      EXPECT_TRUE(IsRefused(altered)) << altered;
    }
  }
}

TEST(CursorText, OnesOfReleasesBeforeAreTaken) {
  EXPECT_TRUE(IsTaken("1-1818a647de0-12345678"));
  EXPECT_TRUE(IsTaken("2-1818a647de0-12345678", '2'));
}

TEST(CursorText, TellsItsVersion) {
  EXPECT_TRUE(IsOfVersion("1-5", '1') && IsOfVersion(EncodeCursorText(kPlace), '1'));
  EXPECT_TRUE(IsOfVersion("2-5", '2') && IsOfVersion(EncodeCursorText(kPlace, '2'), '2'));
  EXPECT_FALSE(IsOfVersion("1-5", '2') || IsOfVersion(EncodeCursorText(kPlace), '2'));
}

}  // namespace
}  // namespace fanfold
