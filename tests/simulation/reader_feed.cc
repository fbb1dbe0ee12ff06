#include "tests/simulation/reader_feed.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "common/ports/post_kind.h"
#include "reader/feed/post_tables.h"

namespace fanfold::simulation {
namespace {

using reader::AuthorRuns;
using reader::FeedKey;
using reader::FeedPage;
using reader::FeedQuery;

// Little room makes authors, recent moves and contents leave, and come back.
constexpr std::size_t kRecentPosts[] = {8, 64, 4096};
constexpr std::size_t kPostsBytes[] = {2 << 10, 8 << 10, 1 << 20};
constexpr std::size_t kContentsBytes[] = {0, 16 << 10, 1 << 20};
constexpr std::uint64_t kPostsAnewOf = 64;
constexpr std::uint64_t kLimitMax = 8;

template <std::size_t N>
std::size_t AnyOf(SplitMix64& random, const std::size_t (&sizes)[N]) {
  return sizes[random.Below(N)];
}

reader::PostLimits PostLimitsFrom(SplitMix64& random) {
  const std::size_t posts = AnyOf(random, kPostsBytes);
  return {posts, reader::RecentPosts::kMoveBytes * AnyOf(random, kRecentPosts)};
}

// What a page of this feed must be.
FeedPage PageOf(const std::vector<FeedKey>& feed, const FeedQuery& query) {
  const auto split =
      query.cursor ? std::ranges::lower_bound(feed, *query.cursor, std::ranges::greater_equal())
                   : feed.begin();
  // From `split` on are those below the cursor; it may stand before them itself.
  auto below = split;
  while (below != feed.end() && query.cursor && *below >= *query.cursor) ++below;
  auto above = feed.begin();
  while (above != feed.end() && query.cursor && *above > *query.cursor) ++above;
  const auto limit = static_cast<std::ptrdiff_t>(query.limit);
  FeedPage page;
  if (query.towards == FeedQuery::Towards::kOlder) {
    const auto end = below + std::min(limit, feed.end() - below);
    page.keys.assign(below, end);
  } else {
    const auto begin = above - std::min(limit, above - feed.begin());
    page.keys.assign(begin, above);
  }
  if (page.keys.empty()) {
    page.has_newer = above != feed.begin();
    page.has_older = above != feed.end();
  } else {
    page.has_newer = feed.front() > page.keys.front();
    page.has_older = feed.back() < page.keys.back();
  }
  return page;
}

// It goes one way.
FeedPage LatestPageOf(const std::vector<FeedKey>& feed, const FeedQuery& query) {
  std::set<UserId> seen;
  std::vector<FeedKey> latest;
  for (const FeedKey& key : feed) {
    if (seen.insert(key.author).second) latest.push_back(key);
  }
  FeedPage page = PageOf(latest, query);
  page.has_newer = false;
  page.has_older = page.has_older && !page.keys.empty();
  return page;
}

}  // namespace

ReaderFeed::ReaderFeed(Ground& ground, EventLog& log, reader::PositionBoard& board)
    : ground_(ground),
      live_(projections::kPosts, kShards, PostLimitsFrom(ground.random), ground.series.metrics),
      contents_(AnyOf(ground.random, kContentsBytes), ground.series.metrics),
      posts_(projections::kPosts, live_, contents_, ground.series.metrics),
      reading_(board, feed_, log, [] {}),
      next_(kPartitions),
      at_merge_(kPartitions),
      in_tables_(kPartitions) {
  live_.SetRead(ground.Read());
}

void ReaderFeed::Noted::Start(const Placement& placement, const std::vector<Offset>& next) {
  feed_.Start(placement, next);
  of_.NoteNext();
}

Status ReaderFeed::Noted::Take(std::span<const LogRecord> records) {
  Status taken = feed_.Take(records);
  of_.NoteNext();
  return taken;
}

void ReaderFeed::NoteNext() {
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    next_[static_cast<std::size_t>(p)] = live_.Next(Partition(p)).value_or(Offset(0));
  }
}

void ReaderFeed::Follow() {
  if (!is_following_) {
    is_following_ = reading_.Begin().has_value();
    return;
  }
  const Status stepped = reading_.Step(0);
  const bool lost = !stepped && stepped.error().code == ErrorCode::kOutOfRange;
  if (lost) {
    ground_.oracle.Complain("the reader lost its place in posts: " + stepped.error().message);
  }
  if (ground_.nemesis.resting() || ground_.random.Below(kPostsAnewOf) != 0) return;
  reading_.End();
  is_following_ = false;
}

bool ReaderFeed::IsAtEnd() {
  const Oracle::PostEvents& events = ground_.oracle.ReadPostEvents();
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    const auto next = live_.Next(Partition(p));
    if (!next || next->value != std::ssize(events[static_cast<std::size_t>(p)])) return false;
  }
  return true;
}

void ReaderFeed::Saw(Shard shard, std::span<const PostStretch> stretches, const PostLanes& at) {
  const RowsAt& rows_at = ground_.oracle.rows_at(shard);
  for (const PostStretch& stretch : stretches) {
    const Partition partition = ground_.placement.PartitionOf(stretch.author);
    const auto rows = rows_at.find({projections::kPosts, kGeneration, partition});
    in_tables_[static_cast<std::size_t>(partition.value)] =
        rows == rows_at.end() ? at.LaneOf(partition).position : rows->second;
  }
}

ReaderFeed::Keys ReaderFeed::FeedAt(std::span<const UserId> authors,
                                    const std::vector<Offset>& ends) {
  Keys keys;
  for (std::int32_t p = 0; p < kPartitions; ++p) {
    const auto posts = ground_.oracle.PostsAt(Partition(p), ends[static_cast<std::size_t>(p)]);
    for (const auto& [key, row] : posts) {
      if (std::ranges::find(authors, key.user) == authors.end()) continue;
      keys.emplace_back(key.user, PostPlace{row.score, PostOf(key)});
    }
  }
  std::ranges::sort(keys, std::ranges::greater());
  return keys;
}

FeedQuery ReaderFeed::AnyQuery(std::span<const UserId> authors) {
  SplitMix64& random = ground_.random;
  FeedQuery query{.limit = 1 + random.Below(kLimitMax)};
  if (random.Below(3) == 0) return query;
  query.cursor = FeedKey(
      authors[random.Below(authors.size())],
      {static_cast<std::int64_t>(random.Below(kAtMax)), PostId(1 + random.Below(kPostsMax))});
  if (random.Below(2) == 0) query.towards = FeedQuery::Towards::kNewer;
  return query;
}

void ReaderFeed::Ask(std::span<const UserId> authors, const Deployment& deployment,
                     reader::ShardedReader& tables) {
  if (authors.empty()) return;
  const FeedQuery query = AnyQuery(authors);
  const std::uint64_t kind = ground_.random.Below(4);
  if (kind == 0 && query.cursor) return AskUnread(authors, *query.cursor, deployment, tables);
  const bool latest = kind == 1 && query.towards == FeedQuery::Towards::kOlder;
  AskPage(authors, query, latest, deployment, tables);
}

void ReaderFeed::AskPage(std::span<const UserId> authors, const FeedQuery& query, bool latest,
                         const Deployment& deployment, reader::ShardedReader& tables) {
  reader::PostTables source(&tables);
  reader::FeedPages pages(live_, contents_, source, deployment.placement,
                          deployment.read[projections::kPosts], /*wait_ms=*/0);
  const auto merge = [&](std::span<const AuthorRuns> runs) {
    at_merge_ = next_;
    return latest ? MergeLatest(runs, query, [](const FeedKey&) { return false; })
                  : MergeFeed(runs, query);
  };
  const bool memory = ground_.random.Below(8) != 0;
  const Result<reader::ToldPage> told = pages.Ask(authors, merge, memory);
  if (!told) return;
  const std::vector<Offset>& ends = told->as_tables_are ? in_tables_ : at_merge_;
  const Keys feed = FeedAt(authors, ends);
  ExpectPage(*told, latest ? LatestPageOf(feed, query) : PageOf(feed, query), ends);
}

void ReaderFeed::ExpectPage(const reader::ToldPage& told, const FeedPage& expected,
                            const std::vector<Offset>& ends) {
  const FeedPage& page = told.page;
  if (page.keys != expected.keys) return Complain("page", told.as_tables_are);
  if (page.has_newer != expected.has_newer || page.has_older != expected.has_older) {
    return Complain("ends of a page", told.as_tables_are);
  }
  for (std::size_t i = 0; i < page.keys.size(); ++i) {
    const Partition partition = ground_.placement.PartitionOf(page.keys[i].author);
    const auto posts =
        ground_.oracle.PostsAt(partition, ends[static_cast<std::size_t>(partition.value)]);
    const PostRow& row = posts.at(KeyOf(page.keys[i].author, page.keys[i].post));
    const reader::PostContent& content = *told.contents[i];
    if (content.content == row.content && content.type == row.post_type) continue;
    return Complain("content", told.as_tables_are);
  }
}

void ReaderFeed::AskUnread(std::span<const UserId> authors, const FeedKey& since,
                           const Deployment& deployment, reader::ShardedReader& tables) {
  reader::PostTables source(&tables);
  reader::FeedReader reader(live_, source, deployment.placement,
                            deployment.read[projections::kPosts], /*wait_ms=*/0);
  const auto unread = reader.Ask(authors, [&](std::span<const AuthorRuns> runs) {
    at_merge_ = next_;
    return CountUnread(runs, since);
  });
  if (!unread) return;
  const Keys feed = FeedAt(authors, reader.as_tables_are() ? in_tables_ : at_merge_);
  const auto above = std::ranges::count_if(feed, [&](const FeedKey& key) { return key > since; });
  if (std::cmp_not_equal(unread->count, above)) Complain("unread", reader.as_tables_are());
}

void ReaderFeed::CheckWhole(std::span<const UserId> authors, const Deployment& deployment,
                            reader::ShardedReader& tables) {
  reader::PostTables source(&tables);
  reader::FeedPages pages(live_, contents_, source, deployment.placement,
                          deployment.read[projections::kPosts], /*wait_ms=*/0);
  const Keys feed = FeedAt(authors, next_);
  FeedQuery query{.limit = 1 + ground_.random.Below(feed.size() + 2)};
  for (std::size_t walked = 0; walked <= feed.size();) {
    const auto told = pages.Ask(authors, [&](auto runs) { return MergeFeed(runs, query); });
    if (!told || told->as_tables_are) return Complain("end", told && told->as_tables_are);
    ExpectPage(*told, PageOf(feed, query), next_);
    if (!told->page.has_older || told->page.keys.empty()) break;
    query.cursor = told->page.keys.back();
    walked += told->page.keys.size();
  }
}

void ReaderFeed::Complain(std::string_view what, bool as_tables_are) {
  std::string where;
  for (const Offset end : as_tables_are ? in_tables_ : at_merge_) {
    where += fmt::format(":{}", end.value);
  }
  ground_.oracle.Complain(fmt::format("a feed's {}{} is not as of posts{}", what,
                                      as_tables_are ? " (as the tables are)" : "", where));
}

}  // namespace fanfold::simulation
