// Random histories: after every event all that a reader may be asked is what everything sorted
// says.
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "tests/unit/reader/feed/feed_world.h"

namespace fanfold::reader {
namespace {

using Towards = FeedQuery::Towards;

// Users who post, late too and with equal scores, delete, follow and unfollow.
class History {
 public:
  static constexpr std::uint64_t kAuthors = 7;

  History(std::uint64_t seed, std::size_t bytes_max)
      : random_(seed), table_(bytes_max), asker_(world_, table_) {
    asker_.asked_first = 1 + Below(4);
    asker_.meanwhile = [this](FilledGaps& filled) {
      while (moves_meanwhile_ > 0 && Below(2) == 0) {
        --moves_meanwhile_;
        filled.Move(MovePost());
      }
    };
  }

  std::uint64_t Below(std::uint64_t end) { return random_() % end; }

  PostMove MovePost() {
    PostMove move{UserId(1 + Below(kAuthors)), {}, true};
    const std::set<PostPlace>& posts = world_.PostsOf(move.author);
    if (Below(3) == 0 && !posts.empty()) {
      // Mostly a new one, so that runs are emptied from above too.
      auto gone = Below(2) == 0 ? std::prev(posts.end()) : posts.begin();
      if (Below(2) == 0) std::advance(gone = posts.begin(), Below(posts.size()));
      move.post = *gone;
      move.is_posted = false;
      ever_gone_.insert(FeedKey(move.author, move.post));
    } else {
      if (Below(2) == 0) ++now_;
      const std::uint64_t late = Below(4) == 0 ? Below(now_) : Below(2);
      move.post = {static_cast<std::int64_t>(now_ - std::min(now_, late)), PostId(++last_id_)};
    }
    world_.Move(move);
    table_.Move(move);
    return move;
  }

  void Follow(UserId author) { followed_.insert(author); }
  void StepOn() {
    const UserId author(1 + Below(kAuthors));
    switch (Below(8)) {
      case 0:
        followed_.insert(author);
        return;
      case 1:
        followed_.erase(author);
        return;
      case 2:
        if (Below(20) == 0) table_.DropIf([&](UserId user) { return user == author; });
        return;
      default:
        MovePost();
    }
  }

  [[nodiscard]] std::vector<UserId> Followed() const {
    return {followed_.begin(), followed_.end()};
  }
  [[nodiscard]] std::vector<FeedKey> Feed() { return world_.Feed(Followed()); }
  FeedPage Page(const FeedQuery& query) { return asker_.Page(Followed(), query); }
  FeedAsker& asker() { return asker_; }
  AuthorTable& table() { return table_; }
  void MoveMeanwhile(int moves) { moves_meanwhile_ = moves; }
  [[nodiscard]] bool WasDeleted(const FeedKey& key) const { return ever_gone_.contains(key); }

  // A key of the feed, or near one, or any.
  FeedKey SomeCursor(const std::vector<FeedKey>& feed) {
    if (feed.empty() || Below(4) == 0) {
      return {UserId(1 + Below(kAuthors + 1)),
              {static_cast<std::int64_t>(Below(now_ + 2)), PostId(1 + Below(last_id_ + 2))}};
    }
    FeedKey key = feed[Below(feed.size())];
    if (Below(3) == 0) key.author = UserId(1 + Below(kAuthors + 1));
    return key;
  }

 private:
  std::mt19937_64 random_;
  FeedWorld world_;
  AuthorTable table_;
  FeedAsker asker_;
  std::set<UserId> followed_;
  std::set<FeedKey> ever_gone_;
  std::uint64_t now_ = 3;
  std::uint64_t last_id_ = 0;
  int moves_meanwhile_ = 0;
};

void ExpectSame(const FeedPage& said, const FeedPage& naive) {
  ASSERT_EQ(said.keys, naive.keys);
  ASSERT_EQ(said.has_newer, naive.has_newer);
  ASSERT_EQ(said.has_older, naive.has_older);
}

std::vector<FeedKey> NaiveLatest(const std::vector<FeedKey>& feed, const std::set<FeedKey>& shown) {
  std::vector<FeedKey> latest;
  std::set<UserId> seen;
  for (const FeedKey& key : feed) {
    if (seen.insert(key.author).second && !shown.contains(key)) latest.push_back(key);
  }
  return latest;
}

std::size_t BytesFor(std::uint64_t seed) {
  constexpr std::size_t kSome[] = {0, 700, 1'500, std::numeric_limits<std::size_t>::max()};
  return kSome[seed % 4];
}

TEST(FeedHistory, EveryAnswerIsWhatEverythingSortedSays) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    History history(seed, BytesFor(seed));
    for (int step = 0; step < 250; ++step) {
      history.StepOn();
      const std::vector<FeedKey> feed = history.Feed();
      const std::size_t limit = 1 + history.Below(feed.size() + 2);
      ASSERT_NO_FATAL_FAILURE(
          ExpectSame(history.Page({.limit = limit}), PageOf(feed, {.limit = limit})));
      const FeedKey cursor = history.SomeCursor(feed);
      for (const Towards towards : {Towards::kOlder, Towards::kNewer}) {
        const FeedQuery query = {.cursor = cursor, .towards = towards, .limit = limit};
        ASSERT_NO_FATAL_FAILURE(ExpectSame(history.Page(query), PageOf(feed, query)));
      }
      const std::vector<UserId> followed = history.Followed();
      const Unread unread =
          history.asker().Ask(followed, [&](auto runs) { return CountUnread(runs, cursor); });
      ASSERT_EQ(unread.count, static_cast<std::size_t>(std::ranges::count_if(
                                  feed, [&](const FeedKey& key) { return key > cursor; })));
      std::set<FeedKey> shown;
      for (const FeedKey& key : feed) {
        if (history.Below(4) == 0) shown.insert(key);
      }
      const FeedQuery first = {.limit = 1 + history.Below(History::kAuthors)};
      const FeedPage latest = history.asker().Ask(followed, [&](auto runs) {
        return MergeLatest(runs, first, [&](const FeedKey& key) { return shown.contains(key); });
      });
      std::vector<FeedKey> naive = NaiveLatest(feed, shown);
      ASSERT_EQ(latest.has_older, naive.size() > first.limit);
      naive.resize(std::min(naive.size(), first.limit));
      ASSERT_EQ(latest.keys, naive);
    }
  }
}

TEST(FeedHistory, WalksWithEveryLimitTellTheWholeFeedBothWays) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    History history(seed, BytesFor(seed));
    for (int step = 0; step < 120; ++step) history.StepOn();
    const std::vector<FeedKey> feed = history.Feed();
    for (std::size_t limit = 1; limit <= feed.size() + 1; ++limit) {
      std::vector<FeedKey> down;
      FeedQuery query = {.limit = limit};
      for (;;) {
        const FeedPage page = history.Page(query);
        down.insert(down.end(), page.keys.begin(), page.keys.end());
        ASSERT_EQ(page.has_older, down.size() < feed.size());
        if (!page.has_older) break;
        query.cursor = page.keys.back();
      }
      ASSERT_EQ(down, feed);
      if (feed.empty()) continue;
      std::vector<FeedKey> up;
      query = {.cursor = feed.back(), .towards = Towards::kNewer, .limit = limit};
      for (;;) {
        const FeedPage page = history.Page(query);
        up.insert(up.begin(), page.keys.begin(), page.keys.end());
        ASSERT_EQ(page.has_newer, up.size() + 1 < feed.size());
        ASSERT_TRUE(page.has_older);
        if (!page.has_newer) break;
        query.cursor = page.keys.front();
      }
      ASSERT_EQ(up, std::vector(feed.begin(), feed.end() - 1));
    }
  }
}

// The world moves between pages, and between a fetch and its page.
TEST(FeedHistory, AWalkWhileTheWorldMovesRepeatsAndSkipsNothing) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    History history(seed, BytesFor(seed));
    for (std::uint64_t author = 1; author <= History::kAuthors; ++author) {
      history.Follow(UserId(author));
    }
    for (int post = 0; post < 150; ++post) history.MovePost();
    const std::vector<FeedKey> before = history.Feed();
    std::set<FeedKey> ever(before.begin(), before.end());
    const bool goes_up = seed % 2 == 0 && !before.empty();
    FeedQuery query = {.limit = 1 + history.Below(9)};
    if (goes_up) {
      query.cursor = before.back();
      query.towards = Towards::kNewer;
    }
    std::vector<FeedKey> told;  // in the order in which they came
    for (;;) {
      history.MoveMeanwhile(3);
      FeedPage page = history.Page(query);
      const std::vector<FeedKey> feed = history.Feed();
      ever.insert(feed.begin(), feed.end());
      ASSERT_NO_FATAL_FAILURE(ExpectSame(page, PageOf(feed, query)));
      if (goes_up) std::ranges::reverse(page.keys);
      told.insert(told.end(), page.keys.begin(), page.keys.end());
      if (!(goes_up ? page.has_newer : page.has_older)) break;
      // Upwards the world must not outrun the walk for ever.
      if (goes_up && told.size() > 400) break;
      query.cursor = told.back();
      for (std::uint64_t moves = history.Below(4); moves > 0; --moves) history.MovePost();
    }
    for (std::size_t i = 1; i < told.size(); ++i) {
      ASSERT_TRUE(goes_up ? told[i] > told[i - 1] : told[i] < told[i - 1]) << "repeated";
    }
    const std::set<FeedKey> unique(told.begin(), told.end());
    for (const FeedKey& key : told) ASSERT_TRUE(ever.contains(key)) << "never was there";
    for (const FeedKey& key : before) {
      if (history.WasDeleted(key) || (goes_up && key == before.back())) continue;
      if (goes_up && key > told.back()) continue;
      ASSERT_TRUE(unique.contains(key)) << ::testing::PrintToString(key) << " was there throughout";
    }
  }
}

// A walk that goes on where it was has nothing fetched twice.
TEST(FeedHistory, AWalkFetchesEachPostAtMostOnceOrSo) {
  History history(1, std::numeric_limits<std::size_t>::max());
  history.asker().asked_first = kNewestHeld;
  history.Follow(UserId(1));
  history.Follow(UserId(2));
  for (int post = 0; post < 4'000; ++post) history.MovePost();
  const std::size_t posts = history.Feed().size();
  FeedQuery query = {.limit = 20};
  for (;;) {
    const FeedPage page = history.Page(query);
    if (!page.has_older) break;
    query.cursor = page.keys.back();
  }
  EXPECT_LE(history.asker().fetched, 2 + 2 * posts / kNewestHeld);
}

}  // namespace
}  // namespace fanfold::reader
