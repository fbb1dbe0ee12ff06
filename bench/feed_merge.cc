// The merge of a feed's page in memory, without the database and HTTP; beside everything sorted.
#include "reader/feed/feed_merge.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "reader/feed/author_table.h"

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
      std::vector<PostKey> posts;
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
  [[nodiscard]] PostKey NewPost(std::uint64_t after_ms) {
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
  for (auto _ : state) {
    const std::vector<AuthorRuns> runs = world.table().Find(world.NextOwner());
    benchmark::DoNotOptimize(MergeFeed(runs, {.limit = kPage}));
  }
  state.counters["bytes_a_post"] =
      static_cast<double>(world.table().bytes()) / static_cast<double>(kAuthors * kNewestHeld);
}

void NextPage(benchmark::State& state) {
  World& world = TheWorld();
  FeedQuery query{.limit = kPage};
  for (auto _ : state) {
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
  for (auto _ : state) {
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
  for (auto _ : state) {
    const std::vector<AuthorRuns> runs = world.table().Find(world.NextOwner());
    benchmark::DoNotOptimize(CountUnread(runs, since));
  }
}

void Moved(benchmark::State& state) {
  World& world = TheWorld();
  std::uint64_t now = std::uint64_t{1} << 32;
  for (auto _ : state) {
    world.table().Move({world.SomeAuthor(), world.NewPost(++now), true});
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(FirstPage)->Unit(benchmark::kMicrosecond);
BENCHMARK(NextPage)->Unit(benchmark::kMicrosecond);
BENCHMARK(SortedPage)->Unit(benchmark::kMicrosecond);
BENCHMARK(UnreadOf)->Unit(benchmark::kMicrosecond);
BENCHMARK(Moved);

}  // namespace
}  // namespace fanfold::reader

BENCHMARK_MAIN();
