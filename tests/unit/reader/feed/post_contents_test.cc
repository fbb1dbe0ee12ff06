#include "reader/feed/post_contents.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fanfold::reader {
namespace {

FeedKey KeyOf(std::uint64_t author, std::uint64_t post) {
  return {UserId(author), {static_cast<std::int64_t>(post), PostId(post)}};
}
PostContentPtr Saying(std::string content, std::int64_t type = 0) {
  return std::make_shared<const PostContent>(type, std::move(content));
}

class PostContentsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kRoomy = std::size_t{1} << 24;

  Metrics metrics_;
  PostContents contents_{kRoomy, metrics_};

  PostContentPtr Held(const FeedKey& key) { return contents_.Find(std::span(&key, 1)).front(); }
};

TEST_F(PostContentsTest, FindsInTheOrderAskedForWhatIsHeld) {
  const auto ticket = contents_.NewTicket();
  contents_.Put(ticket, KeyOf(1, 7), Saying("one", 3));
  contents_.Put(ticket, KeyOf(2, 7), Saying("another's of this id"));
  const std::vector<FeedKey> keys = {KeyOf(2, 7), KeyOf(1, 8), KeyOf(1, 7), KeyOf(7, 1)};
  const std::vector<PostContentPtr> found = contents_.Find(keys);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0]->content, "another's of this id");
  EXPECT_EQ(found[1], nullptr);
  EXPECT_EQ(*found[2], (PostContent{3, "one"}));
  EXPECT_EQ(found[3], nullptr);
}

TEST_F(PostContentsTest, ADeletedPostIsForgottenByWhoeverAskedForItBefore) {
  const auto ticket = contents_.NewTicket();
  contents_.Put(ticket, KeyOf(1, 7), Saying("secret"));
  contents_.Put(ticket, KeyOf(1, 7), Saying("secret"));
  const PostContentPtr told = Held(KeyOf(1, 7));
  contents_.Drop(UserId(1), PostId(7));
  EXPECT_EQ(Held(KeyOf(1, 7)), nullptr);
  EXPECT_EQ(contents_.bytes(), 0U);
  EXPECT_EQ(told->content, "secret") << "an answer under way keeps it";
  contents_.Put(ticket, KeyOf(1, 7), Saying("secret"));
  EXPECT_EQ(Held(KeyOf(1, 7)), nullptr);
  contents_.Put(contents_.NewTicket(), KeyOf(1, 7), Saying("secret"));
  EXPECT_NE(Held(KeyOf(1, 7)), nullptr);
}

TEST_F(PostContentsTest, WhatIsReadStaysAndTheBytesAreBounded) {
  constexpr std::size_t kBytes = PostContents::kStripes * 20'000;
  PostContents contents(kBytes, metrics_);
  const FeedKey read = KeyOf(1, 1);
  contents.Put(contents.NewTicket(), read, Saying("read"));
  const auto ticket = contents.NewTicket();
  for (std::uint64_t post = 2; post < 50'000; ++post) {
    contents.Put(ticket, KeyOf(post % 100, post), Saying(std::string(post % 300, 'x')));
    ASSERT_NE(contents.Find(std::span(&read, 1)).front(), nullptr) << post;
  }
  EXPECT_LE(contents.bytes(), kBytes);
  EXPECT_GT(contents.bytes(), kBytes / 2);
}

TEST_F(PostContentsTest, WithoutRoomNothingIsHeld) {
  PostContents contents(0, metrics_);
  contents.Put(contents.NewTicket(), KeyOf(1, 1), Saying("x"));
  const FeedKey key = KeyOf(1, 1);
  EXPECT_EQ(contents.Find(std::span(&key, 1)).front(), nullptr);
  EXPECT_EQ(contents.bytes(), 0U);
}

}  // namespace
}  // namespace fanfold::reader
