#include "projector/feed/newest_posts.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace fanfold::projector {
namespace {

using PostsByAuthor = std::map<UserId, std::vector<PostPlace>>;  // descending

std::vector<PostPlace> Told(const PostsByAuthor& posts, const PostStretch& stretch,
                            std::size_t limit) {
  std::vector<PostPlace> told;
  for (const PostPlace& place : posts.at(stretch.author)) {
    if (place < stretch.bound && told.size() < limit) told.push_back(place);
  }
  return told;
}

// How many posts it was told.
std::size_t Ask(NewestPosts& newest, const PostsByAuthor& posts) {
  std::size_t all = 0;
  for (auto missing = newest.Missing(); !missing.empty(); missing = newest.Missing()) {
    std::vector<std::vector<PostPlace>> told;
    for (const PostStretch& stretch : missing) {
      told.push_back(Told(posts, stretch, newest.asked()));
      all += told.back().size();
    }
    newest.Take(missing, told);
  }
  return all;
}

// Everything at or above the floor is known, and there is enough of it.
TEST(NewestPosts, AreAllThereAreAboveTheFloor) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const std::size_t length = 1 + random() % 40;
    PostsByAuthor posts;
    std::vector<UserId> authors;
    std::vector<InboxEntry> all;
    for (std::uint64_t author = 1; author <= 1 + random() % 20; ++author) {
      authors.emplace_back(author);
      std::set<PostPlace, std::greater<>> his;
      const std::uint64_t most = random() % 3 == 0 ? 200 : 5;
      for (std::uint64_t post = random() % most; post > 0; --post) {
        his.insert({static_cast<std::int64_t>(random() % 50), PostId(post)});
      }
      posts[UserId(author)].assign(his.begin(), his.end());
      for (const PostPlace& place : his) all.push_back({place.score, UserId(author), place.post});
    }
    std::ranges::sort(all, std::greater());
    NewestPosts newest(authors, length);
    Ask(newest, posts);
    std::vector<InboxEntry> expected;
    std::vector<InboxEntry> known;
    const auto above = [&](const InboxEntry& entry) { return entry >= newest.floor(); };
    std::ranges::copy_if(all, std::back_inserter(expected), above);
    std::ranges::copy_if(newest.posts(), std::back_inserter(known), above);
    EXPECT_EQ(known, expected);
    EXPECT_GE(known.size(), std::min(length, all.size()));
  }
}

TEST(NewestPosts, OfManyAuthorsFewAreAskedFor) {
  PostsByAuthor posts;
  std::vector<UserId> authors;
  for (std::uint64_t author = 1; author <= 1'000; ++author) {
    authors.emplace_back(author);
    for (std::uint64_t post = 1'000; post > 0; --post) {
      posts[UserId(author)].push_back(
          {static_cast<std::int64_t>(post * 1'000 + author), PostId(post)});
    }
  }
  NewestPosts newest(authors, 500);
  EXPECT_LE(Ask(newest, posts), 4'000U);
}

TEST(NewestPosts, NobodyHasNone) {
  NewestPosts newest({}, 10);
  EXPECT_TRUE(newest.Missing().empty());
  EXPECT_EQ(newest.floor(), kInboxWhole);
}

}  // namespace
}  // namespace fanfold::projector
