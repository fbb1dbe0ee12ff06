#include "reader/feed/feed_key.h"

#include <gtest/gtest.h>
#include <string_view>
#include <vector>

#include "tests/unit/reader/feed/feed_world.h"

namespace fanfold::reader {
namespace {

TEST(FeedKey, ScoreThenAuthorThenPostEachNumerically) {
  const std::vector<FeedKey> ascending = {Key(0, 99, 99), Key(9, 1, 1),        Key(9, 1, 2),
                                          Key(9, 1, 10),  Key(9, 2, 1),        Key(9, 10, 1),
                                          Key(10, 1, 1),  Key(kScoreMax, 1, 1)};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(ascending[i] < ascending[j], i < j) << i << " " << j;
    }
  }
}

TEST(FeedKey, ABoundDividesAnAuthorsPostsAsItDividesTheFeed) {
  const std::uint64_t posts[] = {1, 2, 3, kPostIdMax};
  for (const std::int64_t bound_score : {std::int64_t{0}, std::int64_t{5}, kScoreMax}) {
    for (const std::uint64_t bound_post : posts) {
      const FeedKey bound = Key(bound_score, 5, bound_post);
      for (const std::uint64_t author : {std::uint64_t{1}, std::uint64_t{5}, kUserIdMax}) {
        const PostPlace in_author = BoundIn(UserId(author), bound);
        EXPECT_LT(kBelowAll, in_author);
        EXPECT_LT(in_author, kAboveAll);
        for (const std::int64_t score :
             {std::int64_t{0}, std::int64_t{4}, std::int64_t{5}, std::int64_t{6}, kScoreMax}) {
          for (const std::uint64_t post : posts) {
            const FeedKey key = Key(score, author, post);
            EXPECT_EQ(key.InAuthor() < in_author, key < bound)
                << ::testing::PrintToString(key) << " " << ::testing::PrintToString(bound);
            EXPECT_EQ(key.InAuthor() < BoundIn(UserId(author), Next(bound)), key <= bound);
          }
        }
      }
    }
  }
}

TEST(FeedCursor, ComesBackAsItWas) {
  for (const FeedKey& key :
       {Key(0, 1, 1), Key(1655884250592, 30, 17), Key(kScoreMax, kUserIdMax, kPostIdMax)}) {
    EXPECT_EQ(DecodeFeedCursor(EncodeFeedCursor(key)), key);
  }
}

// Cursors handed out by one version are answered by the next.
TEST(FeedCursor, ItsTextIsPinned) {
  EXPECT_EQ(EncodeFeedCursor(Key(1655884250592, 30, 17)), "c1-1818a647de0-1e-11-64b8eee5");
}

TEST(FeedCursor, AnythingElseIsRefused) {
  for (const std::string_view text : {"",
                                      "1",
                                      "1-",
                                      "1-0",
                                      "1-0-1",
                                      "1-0-1-",
                                      "1-0-1-1-",
                                      "1-0-1-1-1",
                                      "1-0-0-1",
                                      "1-0-1-0",
                                      "1-00-1-1",
                                      "1-0-01-1",
                                      "1-0-1-A",
                                      "1-0-1-g",
                                      "1--1-1-1",
                                      "1-0--1-1",
                                      "2-0-1-1",
                                      "1-0-1-1 ",
                                      "1-8000000000000000-1-1",
                                      "1-0-8000000000000000-1",
                                      "1-0-1-8000000000000000",
                                      "!"}) {
    EXPECT_FALSE(DecodeFeedCursor(text)) << text;
  }
}

}  // namespace
}  // namespace fanfold::reader
