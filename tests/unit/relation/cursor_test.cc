#include "common/relation/cursor.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/relation/printing.h"

namespace fanfold {
namespace {

constexpr std::int64_t kSinceMax = std::numeric_limits<std::int64_t>::max();

TEST(Cursor, ComesBackAsItWas) {
  for (const Cursor& cursor :
       {Cursor{UserId(1), 0}, Cursor{UserId(30), 1655884250592}, Cursor{UserId(16), 16},
        Cursor{UserId(kUserIdMax), kSinceMax}, Cursor{UserId(1), kSinceMax}}) {
    EXPECT_EQ(DecodeCursor(EncodeCursor(cursor)), cursor);
  }
}

TEST(Cursor, NeedsNoEscapeInAQuery) {
  const std::string text = EncodeCursor(Cursor{UserId(kUserIdMax), kSinceMax});
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-';
  })) << text;
}

// Cursors handed out by one version are answered by the next.
TEST(Cursor, ItsTextIsPinned) {
  EXPECT_EQ(EncodeCursor(Cursor{UserId(30), 1655884250592}), "c1-1818a647de0-1e-2ce7629c");
  EXPECT_EQ(DecodeCursor("1-1818a647de0-1e"), (Cursor{UserId(30), 1655884250592}));
}

TEST(Cursor, AnythingElseIsRefused) {
  for (const std::string_view text : {"",
                                      "1",
                                      "1-",
                                      "1--",
                                      "1-0-",
                                      "1--1",
                                      "2-0-1",
                                      "0-1",
                                      "1-0-0",
                                      "1-00-1",
                                      "1-0-01",
                                      "1-0-A",
                                      "1-0-g",
                                      "1-0x1-1",
                                      "1-0-1 ",
                                      " 1-0-1",
                                      "1-0-1-1",
                                      "1-+1-1",
                                      "1--1-1",
                                      "1-0--1",
                                      "1-8000000000000000-1",
                                      "1-0-8000000000000000",
                                      "1-10000000000000000-1",
                                      "1-0-10000000000000001",
                                      "!",
                                      "eyJhIjoxfQ=="}) {
    EXPECT_FALSE(DecodeCursor(text)) << text;
  }
  EXPECT_FALSE(DecodeCursor(std::string_view("1-0-1\0", 6)));
  EXPECT_FALSE(DecodeCursor(std::string(100'000, '1')));
}

TEST(ListedBefore, NewestFirstThenLargerId) {
  const std::vector<ListedUser> sorted = {
      {UserId(1), kSinceMax}, {UserId(9), 5}, {UserId(2), 5}, {UserId(1), 5}, {UserId(7), 0}};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(ListedBefore(sorted[i], sorted[j]), i < j) << sorted[i] << " / " << sorted[j];
    }
  }
}

}  // namespace
}  // namespace fanfold
