#include "common/post/listed_post.h"

#include <gtest/gtest.h>
#include <limits>
#include <string_view>

#include "tests/unit/post/printing.h"

namespace fanfold {
namespace {

constexpr std::int64_t kScoreMax = std::numeric_limits<std::int64_t>::max();

TEST(PostPlace, TheNewestIsTheGreatest) {
  EXPECT_LT((PostPlace{1, PostId(9)}), (PostPlace{2, PostId(1)}));
  EXPECT_LT((PostPlace{2, PostId(1)}), (PostPlace{2, PostId(2)}));
}

TEST(PostCursor, ComesBackAsItWas) {
  for (const PostPlace& place : {PostPlace{0, PostId(1)}, PostPlace{1655884250592, PostId(30)},
                                 PostPlace{kScoreMax, PostId(kPostIdMax)}}) {
    EXPECT_EQ(DecodePostCursor(EncodePostCursor(place)), place);
  }
}

// Cursors handed out by one version are answered by the next.
TEST(PostCursor, ItsTextIsPinned) {
  EXPECT_EQ(EncodePostCursor({1655884250592, PostId(30)}), "c1-1818a647de0-1e-2ce7629c");
}

TEST(PostCursor, AnythingElseIsRefused) {
  for (const std::string_view text :
       {"", "1", "1-", "1-1", "1-1-", "1--1", "2-1-1", "1-1-0", "1-01-1", "1-A-1", "1-1-1 ",
        "1-8000000000000000-1", "1-1-8000000000000000", "1-1-1-1"}) {
    EXPECT_EQ(DecodePostCursor(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace fanfold
