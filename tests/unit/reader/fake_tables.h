// The tables of every shard in memory, for the reader's tests.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/ports/post_reader.h"
#include "common/ports/profile_reader.h"
#include "common/ports/shown_reader.h"
#include "common/stream/slot.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::testing {

using namespace reader;

class FakeClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t NowMs() const noexcept override { return now_ms_; }
  [[nodiscard]] std::int64_t SteadyMs() const noexcept override { return now_ms_; }
  void Advance(std::int64_t ms) { now_ms_ += ms; }

 private:
  std::atomic<std::int64_t> now_ms_ = 1'000'000;
};

struct FakeEdge {
  UserId subject;
  UserId object;
  std::int64_t since_ms = 0;
};

// Shared by all readers. Thread-safe where tests change it while readers run: lanes, failing.
struct FakeTables {
  Placement placement = Placement::Modulo({4, 2});
  std::vector<FakeEdge> edges;
  std::atomic<bool> away = false;
  std::atomic<bool> lacks_index = false;
  std::atomic<int> lanes_read = 0;
  std::atomic<std::size_t> users_counted = 0;

  void SetLane(Projection projection, Partition partition, Shard shard, std::int64_t offset) {
    const std::scoped_lock lock(mutex);
    lanes[shard][LaneId{projection, Generation(1), partition}] = offset;
  }

  // Every lane of the deployment at this event offset.
  void SetAllLanes(std::int64_t offset) {
    for (std::int32_t p = 0; p < placement.partitions(); ++p) {
      SetLane(projections::kFollowing, Partition(p), placement.ShardOf(Partition(p)), offset);
      for (std::int32_t s = 0; s < placement.shards(); ++s) {
        SetLane(projections::kFans, Partition(p), Shard(s), offset);
      }
    }
  }

  std::vector<LaneStatus> LanesOf(Shard shard) {
    const std::scoped_lock lock(mutex);
    std::vector<LaneStatus> statuses;
    for (const auto& [lane, offset] : lanes[shard]) {
      LaneStatus status;
      status.lane = lane;
      status.progress.event_offset = Offset(offset);
      statuses.push_back(status);
    }
    return statuses;
  }

  std::mutex mutex;
  std::map<Shard, std::map<LaneId, std::int64_t>> lanes;
};

// Nobody has told any.
class NoProfiles final : public ProfileReader {
 public:
  Result<ProfileView> Read(Generation, std::span<const UserId> users) override {
    return ProfileView{std::vector<ProfileRow>(users.size()), {}, 0, {}};
  }
  Result<std::vector<Erasure>> OpenErasures(const std::optional<ErasureKey>&,
                                            std::size_t) override {
    return std::vector<Erasure>();
  }
};

// The post that each has was shown to everybody.
class OneShownEach final : public ShownReader {
 public:
  Result<ShownPage> Page(Generation, UserId owner, Version before, std::size_t) override {
    if (before == Version(1)) return ShownPage();
    return ShownPage{{{owner, PostId(1), Version(1)}}, 1, Version(1)};
  }
  Result<std::vector<bool>> WereShown(Generation, UserId, std::span<const RowKey> posts) override {
    return std::vector<bool>(posts.size());
  }
  Result<std::optional<InboxView>> Inbox(const InboxQuestion&) override { return std::nullopt; }
};

// Everybody has published every post.
class OnePostEach final : public PostReader {
 public:
  Result<PostView> Page(Generation, UserId, Partition, const std::optional<PostPlace>&,
                        std::size_t) override {
    return PostView();
  }
  Result<PostView> One(Generation, UserId, Partition, PostId post) override {
    return PostView{{ListedPost{{1, post}, 0, ""}}, Offset(0), false, 0};
  }
  Result<StretchesView> Stretches(Generation, std::span<const PostStretch> stretches,
                                  std::size_t) override {
    return StretchesView{std::vector<std::vector<PostPlace>>(stretches.size()), {}};
  }
  Result<PostsView> Among(Generation, std::span<const RowKey> posts) override {
    return PostsView{std::vector<std::optional<ListedPost>>(posts.size()), {}};
  }
};

// What a shard's database would answer; a user of another shard is an error, as are wrong
// generations.
class FakeReader final : public ProjectionReader {
 public:
  FakeReader(FakeTables& tables, Shard shard) : tables_(tables), shard_(shard) {}

  Result<std::vector<ListedUser>> Page(Direction list, Generation, UserId user,
                                       const PageStart& start, std::size_t limit) override {
    if (Status fine = Check(user); !fine) return Forward(fine);
    return Cut(ListOf(list, user), start, limit);
  }

  Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations&, UserId user,
                                              const PageStart& start, std::size_t limit) override {
    if (Status fine = Check(user); !fine) return Forward(fine);
    std::vector<ListedUser> friends;
    for (const ListedUser& followed : ListOf(Direction::kFollowing, user)) {
      for (const ListedUser& fan : ListOf(Direction::kFans, user)) {
        if (fan.user != followed.user) continue;
        friends.push_back({fan.user, std::max(fan.since_ms, followed.since_ms)});
      }
    }
    std::ranges::sort(friends, ListedBefore);
    return Cut(friends, start, limit);
  }

  Result<std::vector<ListedUser>> Among(Direction list, Generation, UserId user,
                                        std::span<const UserId> others) override {
    if (Status fine = Check(user); !fine) return Forward(fine);
    std::vector<ListedUser> rows = ListOf(list, user);
    std::erase_if(rows, [&](const ListedUser& row) {
      return std::ranges::find(others, row.user) == others.end();
    });
    return rows;
  }

  Result<std::vector<UserCounts>> Counts(const ReadGenerations& read,
                                         std::span<const UserId> users) override {
    tables_.users_counted += users.size();
    std::vector<UserCounts> counts;
    for (const UserId user : users) {
      const auto friends = FriendsPage(read, user, {}, kAll);
      if (!friends) return std::unexpected(friends.error());
      counts.push_back({user, Size(ListOf(Direction::kFollowing, user)),
                        Size(ListOf(Direction::kFans, user)), Size(*friends)});
    }
    return counts;
  }

  Result<std::vector<Directions>> Relations(const ReadGenerations&, UserId user,
                                            std::span<const UserId> targets) override {
    if (Status fine = Check(user); !fine) return Forward(fine);
    std::vector<Directions> directions;
    for (const UserId target : targets) {
      directions.push_back({Follows(user, target), Follows(target, user)});
    }
    return directions;
  }

  // Of nobody alone.
  Result<UserView> View(const ReadGenerations&, UserId user, Partition,
                        std::span<const ListQuestion> questions) override {
    if (user != UserId(0)) return Fail(ErrorCode::kInternal, "these tables have no views");
    if (tables_.lacks_index) return Fail(ErrorCode::kInternal, "fans_g1 has no index");
    UserView view;
    view.answers.resize(questions.size());
    return view;
  }
  Result<EdgeView> EdgeAt(Direction, Generation, const EdgeKey&, Partition) override {
    return Fail(ErrorCode::kInternal, "these tables have no views");
  }
  Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t, std::size_t) override {
    return std::vector<RepairRow>();
  }

  Result<std::vector<LaneStatus>> Lanes() override {
    ++tables_.lanes_read;
    if (tables_.away) return Fail(ErrorCode::kUnavailable, "away");
    return tables_.LanesOf(shard_);
  }

  Result<std::vector<ParkedRow>> Parked(Projection, std::optional<std::pair<Partition, Offset>>,
                                        std::size_t) override {
    return std::vector<ParkedRow>();
  }
  Result<std::optional<ParkedRow>> ParkedAt(Projection, Partition, Offset) override {
    return std::nullopt;
  }

  Result<Catalog> ReadCatalog() override {
    if (shard_ != Shard(0)) return Fail(ErrorCode::kRefused, "the catalog is on shard 0");
    return Catalog{{}, tables_.placement.shape()};
  }

  Result<SlotMap> ReadSlotMap(SlotMapId) override {
    return SlotMap::Modulo(tables_.placement.shards());
  }

  std::unique_ptr<RowReader> OpenRows(Projection projection) override {
    if (projection == projections::kPosts) return std::make_unique<OnePostEach>();
    if (projection == projections::kFeed) return std::make_unique<OneShownEach>();
    return std::make_unique<NoProfiles>();
  }

  Status Ping() override { return {}; }

 private:
  static constexpr std::size_t kAll = 1'000'000;

  static std::int64_t Size(const std::vector<ListedUser>& rows) {
    return static_cast<std::int64_t>(rows.size());
  }

  Status Check(UserId user) const {
    if (tables_.away) return Fail(ErrorCode::kUnavailable, "away");
    if (tables_.placement.ShardOf(user) == shard_) return {};
    return Fail(ErrorCode::kInternal, "user " + ToString(user) + " lives on another shard");
  }

  [[nodiscard]] bool Follows(UserId subject, UserId object) const {
    return std::ranges::any_of(tables_.edges, [&](const FakeEdge& edge) {
      return edge.subject == subject && edge.object == object;
    });
  }

  [[nodiscard]] std::vector<ListedUser> ListOf(Direction list, UserId user) const {
    std::vector<ListedUser> rows;
    for (const FakeEdge& edge : tables_.edges) {
      if (list == Direction::kFollowing && edge.subject == user) {
        rows.push_back({edge.object, edge.since_ms});
      }
      if (list == Direction::kFans && edge.object == user) {
        rows.push_back({edge.subject, edge.since_ms});
      }
    }
    std::ranges::sort(rows, ListedBefore);
    return rows;
  }

  static std::vector<ListedUser> Cut(std::vector<ListedUser> rows, const PageStart& start,
                                     std::size_t limit) {
    if (start.after) {
      std::erase_if(rows, [&](const ListedUser& row) { return !ListedBefore(*start.after, row); });
    }
    const auto skip = std::min(static_cast<std::size_t>(start.offset), rows.size());
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(skip));
    if (rows.size() > limit) rows.resize(limit);
    return rows;
  }

  FakeTables& tables_;
  Shard shard_;
};

inline ReaderFactory FactoryOf(FakeTables& tables) {
  return [&tables](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
    return std::make_unique<FakeReader>(tables, shard);
  };
}

class FakeShards final : public ShardedReader {
 public:
  explicit FakeShards(FakeTables& tables) {
    for (std::int32_t s = 0; s < tables.placement.shards(); ++s)
      readers_.emplace_back(tables, Shard(s));
  }
  Result<ProjectionReader*> On(Shard shard) override {
    return &readers_.at(static_cast<std::size_t>(shard.value));
  }

 private:
  std::vector<FakeReader> readers_;
};

}  // namespace fanfold::testing
