// Posts of a small deployment: what was decided, tables folded from it, and a reader who follows.
#pragma once

#include <optional>
#include <random>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "common/ports/profile_reader.h"
#include "reader/feed/live_posts.h"
#include "tests/unit/reader/feed/feed_world.h"

namespace fanfold::reader {

// Whichever it is: these rows are told apart by it alone.
inline constexpr Projection kOfPosts = projections::kProfiles;
inline constexpr Projection kOther = projections::kFollowing;
inline constexpr Shape kShape{.partitions = 4, .shards = 2};
inline constexpr Generation kRead{1};
inline constexpr std::size_t kRoomy = std::size_t{1} << 24;

// A log of what was decided, the tables folded from it, and a reader that follows it.
class PostDeployment {
 public:
  explicit PostDeployment(const PostLimits& limits = {kRoomy, kRoomy})
      : live(kOfPosts, kShape.shards, limits, metrics_) {
    live.Start(placement, std::vector<Offset>(kPartitions));
  }

  const Placement placement = Placement::Modulo(kShape);
  Metrics metrics_;
  LivePosts live;

  void Append(UserId author, const std::optional<PostMove>& move) {
    log_[PartitionOf(author)].push_back(move);
  }
  void Append(const PostMove& move) { Append(move.author, move); }

  // How far everybody may come at a call.
  void Fold(std::size_t partition, std::size_t events) {
    Follow(tables_, folded_[partition], partition, events, [](const ToldPost&) {});
  }
  void Read(std::size_t partition, std::size_t events) {
    std::vector<ToldPost> told;
    Follow(at_reader_, read_[partition], partition, events,
           [&](const ToldPost& one) { told.push_back(one); });
    live.Advance(told);
  }
  void FoldAll() {
    for (std::size_t p = 0; p < kPartitions; ++p) Fold(p, log_[p].size());
  }
  void ReadAll() {
    for (std::size_t p = 0; p < kPartitions; ++p) Read(p, log_[p].size());
  }
  void Trim(std::size_t partition) {
    live.Trim(PartitionAt(partition), Offset(static_cast<std::int64_t>(folded_[partition])));
  }
  void StartAgain() {
    std::vector<Offset> next;
    for (const std::size_t offset : read_) next.emplace_back(static_cast<std::int64_t>(offset));
    live.Start(placement, next);
  }

  [[nodiscard]] PostLanes View(Shard shard) const {
    PostLanes view{.lanes = {}, .repair_mark = repair_mark};
    for (std::size_t p = 0; p < kPartitions; ++p) {
      if (placement.ShardOf(PartitionAt(p)) != shard || folded_[p] == 0) continue;
      view.lanes.push_back({PartitionAt(p), Offset(static_cast<std::int64_t>(folded_[p]))});
    }
    return view;
  }
  std::uint64_t repair_mark = 0;

  [[nodiscard]] std::vector<FetchedRun> Fetch(Shard shard, std::span<const PostStretch> gaps,
                                              std::size_t asked) {
    std::vector<FetchedRun> fetched;
    for (const PostStretch& gap : gaps) {
      if (placement.ShardOf(gap.author) != shard) continue;
      fetched.push_back({gap.author, tables_.Fetch(gap, asked)});
    }
    return fetched;
  }
  [[nodiscard]] std::vector<FeedKey> FeedAtReader(std::span<const UserId> authors) {
    return at_reader_.Feed(authors);
  }
  [[nodiscard]] bool IsInTables(const FeedKey& key) {
    return tables_.PostsOf(key.author).contains(key.InAuthor());
  }
  [[nodiscard]] std::vector<FeedKey> FeedOfTables(std::span<const UserId> authors) {
    return tables_.Feed(authors);
  }

  static constexpr std::size_t kPartitions = 4;

 private:
  static Partition PartitionAt(std::size_t partition) {
    return Partition(static_cast<std::int32_t>(partition));
  }
  [[nodiscard]] std::size_t PartitionOf(UserId author) const {
    return static_cast<std::size_t>(placement.PartitionOf(author).value);
  }
  template <class Tell>
  void Follow(FeedWorld& world, std::size_t& next, std::size_t partition, std::size_t events,
              const Tell& tell) {
    for (; events > 0 && next < log_[partition].size(); --events, ++next) {
      const std::optional<PostMove>& move = log_[partition][next];
      if (move) world.Move(*move);
      tell({{PartitionAt(partition), Offset(static_cast<std::int64_t>(next))}, move});
    }
  }

  std::vector<std::vector<std::optional<PostMove>>> log_{kPartitions};
  std::vector<std::size_t> folded_ = std::vector<std::size_t>(kPartitions);
  std::vector<std::size_t> read_ = std::vector<std::size_t>(kPartitions);
  FeedWorld tables_;
  FeedWorld at_reader_;
};

inline PostMove Posted(std::uint64_t author, std::int64_t score, std::uint64_t post) {
  return {UserId(author), {score, PostId(post)}, true};
}
inline PostMove Deleted(std::uint64_t author, std::uint64_t post) {
  return {UserId(author), {0, PostId(post)}, false};
}

inline PostStretch NewestOf(UserId author) {
  return {author, PostStretch::Side::kBelow, kAboveAll};
}

// Random events; tables and reader come along each at its own pace, tables are dropped and mended,
// the reader loses its place; between a fetch and its answer all of that goes on.
class RandomPosts {
 public:
  RandomPosts(std::uint64_t seed, const PostLimits& limits) : random_(seed), world_(limits) {
    for (std::uint64_t author = 1; author <= 9; ++author) authors_.emplace_back(author);
  }

  std::uint64_t Below(std::uint64_t end) { return random_() % end; }

  void StepOn() {
    const UserId author = authors_[Below(authors_.size())];
    const std::size_t partition = Below(PostDeployment::kPartitions);
    switch (Below(12)) {
      case 0:
      case 1:
        return world_.Fold(partition, Below(20));
      case 2:
      case 3:
        return world_.Read(partition, Below(20));
      case 4:
        if (Below(4) == 0) world_.Trim(partition);
        return;
      case 5:
        return Upset(author);
      default:
        return AppendEvent(author);
    }
  }

  FeedQuery SomeQuery() {
    const std::size_t limit = 1 + Below(12);
    FeedQuery query{.limit = limit};
    if (Below(3) != 0) {
      query.cursor =
          FeedKey(authors_[Below(authors_.size())],
                  {static_cast<std::int64_t>(Below(50)), PostId(1 + Below(last_id_ + 1))});
      if (Below(2) == 0) query.towards = FeedQuery::Towards::kNewer;
    }
    return query;
  }

 protected:
  void AppendEvent(UserId author) {
    const std::uint64_t what = Below(6);
    if (what == 0) return world_.Append(author, std::nullopt);
    if (what == 1 && last_id_ > 0) {
      // Whoever posted it alone deletes it: another one's deletion moves nothing.
      const auto& [of, post] = posted_[Below(posted_.size())];
      return world_.Append({of, post, false});
    }
    const PostPlace post{static_cast<std::int64_t>(Below(50)), PostId(++last_id_)};
    posted_.emplace_back(author, post);
    world_.Append({author, post, true});
  }

  void Upset(UserId author) {
    const Shard shard = world_.placement.ShardOf(author);
    switch (Below(8)) {
      case 0:
        return world_.live.DropShard(shard);
      case 1:
        return world_.live.Repaired(
            shard, {++world_.repair_mark, Below(2) == 0 ? kOfPosts : kOther, kRead, author});
      case 2:
        return world_.StartAgain();
      case 3:
        return world_.live.Restored(shard);
      default:
        return;
    }
  }

  std::mt19937_64 random_;
  PostDeployment world_;
  std::vector<UserId> authors_;
  std::vector<std::pair<UserId, PostPlace>> posted_;
  std::uint64_t last_id_ = 0;
};

}  // namespace fanfold::reader
