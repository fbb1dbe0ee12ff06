// The merge of a feed's page in memory, without the database and HTTP; beside everything sorted.
#include "reader/feed/feed_merge.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/post/post_outcome.h"
#include "reader/feed/author_table.h"
#include "reader/feed/live_posts.h"
#include "reader/feed/post_feed.h"

namespace fanfold::reader {
namespace {

constexpr std::uint64_t kAuthors = 100'000;
constexpr std::size_t kFollowings = 1'000;
constexpr std::size_t kOwners = 500;
constexpr std::size_t kPage = 20;
constexpr std::int64_t kFirstScore = 1'655'884'250'592;

// Authors post at random, owners follow at random: what a merge reads, the last one did not.
class World {
 public:
  World() : table_(std::numeric_limits<std::size_t>::max()) {
    for (std::uint64_t author = 1; author <= kAuthors; ++author) {
      std::vector<PostPlace> posts;
      posts.reserve(kNewestHeld);
      for (std::size_t i = 0; i < kNewestHeld; ++i) posts.push_back(NewPost(random_() >> 32));
      std::ranges::sort(posts);
      table_.Install(UserId(author), PostRun(posts.front(), kAboveAll, posts));
    }
    for (std::vector<UserId>& followed : owners_) {
      for (std::size_t i = 0; i < kFollowings; ++i) followed.push_back(SomeAuthor());
      std::ranges::sort(followed);
      const auto repeats = std::ranges::unique(followed);
      followed.erase(repeats.begin(), repeats.end());
      std::ranges::shuffle(followed, random_);
    }
  }

  [[nodiscard]] const std::vector<UserId>& NextOwner() { return owners_[turn_++ % owners_.size()]; }
  [[nodiscard]] const AuthorTable& table() const { return table_; }
  [[nodiscard]] AuthorTable& table() { return table_; }
  [[nodiscard]] std::uint64_t Random() { return random_(); }
  [[nodiscard]] UserId SomeAuthor() { return UserId(1 + random_() % kAuthors); }
  [[nodiscard]] PostPlace NewPost(std::uint64_t after_ms) {
    return {kFirstScore + static_cast<std::int64_t>(after_ms), PostId(++last_post_)};
  }

 private:
  std::mt19937_64 random_{1};
  AuthorTable table_;
  std::vector<std::vector<UserId>> owners_{kOwners};
  std::uint64_t last_post_ = 0;
  std::size_t turn_ = 0;
};

World& TheWorld() {
  static World world;
  return world;
}

void FirstPage(benchmark::State& state) {
  World& world = TheWorld();
  while (state.KeepRunning()) {
    const std::vector<AuthorRuns> runs = world.table().Find(world.NextOwner());
    benchmark::DoNotOptimize(MergeFeed(runs, {.limit = kPage}));
  }
  state.counters["bytes_a_post"] =
      static_cast<double>(world.table().bytes()) / static_cast<double>(kAuthors * kNewestHeld);
}

void NextPage(benchmark::State& state) {
  World& world = TheWorld();
  FeedQuery query{.limit = kPage};
  while (state.KeepRunning()) {
    const std::vector<AuthorRuns> runs = world.table().Find(world.NextOwner());
    const FeedPage page = MergeFeed(runs, query);
    // The other owners' feeds are as full.
    if (!query.cursor) query.cursor = page.keys.back();
    benchmark::DoNotOptimize(page.keys.data());
  }
}

// The baseline: what the authors' newest posts are, copied and sorted.
void SortedPage(benchmark::State& state) {
  World& world = TheWorld();
  while (state.KeepRunning()) {
    std::vector<FeedKey> keys;
    for (const AuthorRuns& runs : world.table().Find(world.NextOwner())) {
      for (std::size_t place = 0; place < runs.newest->size(); ++place) {
        keys.emplace_back(runs.author, runs.newest->At(place));
      }
    }
    std::ranges::sort(keys, std::greater<>());
    keys.resize(std::min(keys.size(), kPage));
    benchmark::DoNotOptimize(keys.data());
  }
}

void UnreadOf(benchmark::State& state) {
  World& world = TheWorld();
  const FeedKey since =
      MergeFeed(world.table().Find(world.NextOwner()), {.limit = 200}).keys.back();
  while (state.KeepRunning()) {
    const std::vector<AuthorRuns> runs = world.table().Find(world.NextOwner());
    benchmark::DoNotOptimize(CountUnread(runs, since));
  }
}

// Outcomes as they stand in their topic, of authors who are held.
class FollowedTopic {
 public:
  static constexpr std::size_t kBatch = 500;  // about what a poll gives
  static constexpr std::int64_t kRecords = 1'000'000;

  FollowedTopic() {
    std::vector<FetchedRun> fetched;
    for (std::uint64_t author = 1; author <= kAuthors; ++author) {
      fetched.push_back({UserId(author), PostRun(kBelowAll, kAboveAll, {})});
    }
    feed_.Start(placement_, {Offset(0)});
    FilledPosts filled;
    const LivePosts::Ticket ticket = live_.NewTicket(Generation(1));
    const ViewState state = live_.Install(ticket, Shard(0), {}, fetched, filled);
    FANFOLD_CHECK(state == ViewState::kAtReader, "nothing moved meanwhile");
    PostOutcome outcome;
    outcome.kind = PostOutcomeKind::kPosted;
    for (std::int64_t i = 0; i < kRecords; ++i) {
      outcome.position.offset = Offset(i);
      outcome.event_id = "6c84fb90-12c4-11e1-840d-7b25c5ee775a";
      outcome.author = UserId(1 + random_() % kAuthors);
      outcome.post_id = PostId(static_cast<std::uint64_t>(i + 1));
      outcome.at_ms = outcome.score = kFirstScore + i;
      values_.push_back(EncodePostOutcome(outcome));
    }
  }

  [[nodiscard]] bool TakeBatch() {
    records_.clear();
    for (std::size_t i = 0; i < kBatch && next_ < values_.size(); ++i, ++next_) {
      records_.push_back({Partition(0), Offset(static_cast<std::int64_t>(next_)), 0, std::nullopt,
                          values_[next_]});
    }
    return feed_.Take(records_).has_value();
  }

 private:
  static constexpr Shape kShape{.partitions = 1, .shards = 1};
  std::mt19937_64 random_{2};
  Metrics metrics_;
  const Placement placement_ = Placement::Modulo(kShape);
  LivePosts live_{projections::kFollowing, 1, PostLimits(), metrics_};
  PostContents contents_{0, metrics_};
  PostFeed feed_{projections::kFollowing, live_, contents_, metrics_};
  std::vector<std::string> values_;
  std::vector<LogRecord> records_;
  std::size_t next_ = 0;
};

void Followed(benchmark::State& state) {
  FollowedTopic topic;
  while (state.KeepRunning()) {
    if (!topic.TakeBatch()) state.SkipWithError("a record was not taken");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(FollowedTopic::kBatch));
}

BENCHMARK(FirstPage)->Unit(benchmark::kMicrosecond);
BENCHMARK(NextPage)->Unit(benchmark::kMicrosecond);
BENCHMARK(SortedPage)->Unit(benchmark::kMicrosecond);
BENCHMARK(UnreadOf)->Unit(benchmark::kMicrosecond);
BENCHMARK(Followed)->Iterations(FollowedTopic::kRecords /
                                static_cast<std::int64_t>(FollowedTopic::kBatch));

}  // namespace
}  // namespace fanfold::reader

BENCHMARK_MAIN();
