// Outcomes of a few users, tables that hold them up to where their lanes stand, and what every
// question must answer at any vector of positions.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/relation/edge.h"
#include "common/relation/relation.h"
#include "reader/cache/list_fetcher.h"
#include "reader/cache/live_lists.h"
#include "reader/freshness/lanes_read.h"
#include "reader/tables/sharded_reader.h"
#include "tests/support/memory_reader.h"
#include "tests/support/memory_store.h"

namespace fanfold::testing {

using namespace reader;

using Followers = std::map<UserId, std::map<UserId, std::int64_t>>;  // user → listed → since

class CountingReader final : public MemoryReader {
 public:
  CountingReader(const MemoryTables& tables, const Placement& placement,
                 std::atomic<std::size_t>& rows_asked, const std::function<void()>& on_viewed)
      : MemoryReader(tables, placement), rows_asked_(rows_asked), on_viewed_(on_viewed) {}

  [[nodiscard]] Result<UserView> View(const ReadGenerations& read, UserId user, Partition partition,
                                      std::span<const ListQuestion> questions) override {
    for (const ListQuestion& question : questions) rows_asked_ += question.limit;
    Result<UserView> view = MemoryReader::View(read, user, partition, questions);
    on_viewed_();
    return view;
  }

 private:
  std::atomic<std::size_t>& rows_asked_;
  const std::function<void()>& on_viewed_;
};

class World final : public ShardedReader {
 public:
  static constexpr std::int32_t kPartitions = 4;
  static constexpr std::int32_t kShards = 2;

  explicit World(const CacheLimits& of_live = {})
      : limits(of_live), logs_(kPartitions), tables_(kShards), r_(kPartitions) {
    for (std::int32_t s = 0; s < kShards; ++s) {
      readers_.push_back(std::make_unique<CountingReader>(
          tables_[static_cast<std::size_t>(s)], deployment_.placement, rows_asked, on_viewed));
      for (std::int32_t p = 0; p < kPartitions; ++p) {
        LaneOf(Direction::kFans, Partition(p), Shard(s));
        if (deployment_.placement.ShardOf(Partition(p)) == Shard(s)) {
          LaneOf(Direction::kFollowing, Partition(p), Shard(s));
        }
      }
    }
    live.SetRead(deployment_.read);
    live.Start(deployment_.placement, std::vector<Offset>(kPartitions, Offset(0)));
  }

  [[nodiscard]] const Deployment& deployment() const { return deployment_; }
  Result<ProjectionReader*> On(Shard shard) override {
    ++views_asked;
    return readers_.at(static_cast<std::size_t>(shard.value)).get();
  }

  // Appends what Decide makes of it to the topic.
  void Decide(UserId subject, UserId object, bool follow, std::int64_t at_ms) {
    const Partition partition = deployment_.placement.PartitionOf(subject);
    std::vector<Outcome>& log = Log(partition);
    const Position position{partition, Offset(std::ssize(log))};
    Edge& edge = edges_[{subject, object}];
    const Event event{"",      follow ? EventType::kFollow : EventType::kUnfollow,
                      subject, object,
                      at_ms,   AskedBy::kSubject,
                      {},      {},
                      {}};
    log.push_back(fanfold::Decide(edge, EdgeCount(0), event, position, FollowLimit(1'000'000)));
    edge = Apply(edge, log.back()).edge;
  }

  [[nodiscard]] std::int64_t End(Partition partition) { return std::ssize(Log(partition)); }
  [[nodiscard]] std::int64_t ReaderAt(Partition partition) {
    return r_[static_cast<std::size_t>(partition.value)];
  }
  [[nodiscard]] std::int64_t LaneAt(Direction list, Partition partition, Shard shard) {
    return LaneOf(list, partition, shard).progress.event_offset.value;
  }

  // The reader sees the topic up to `to`.
  void MoveReader(Partition partition, std::int64_t to) {
    std::int64_t& at = r_[static_cast<std::size_t>(partition.value)];
    const std::vector<Outcome>& log = Log(partition);
    live.Advance(
        std::span(log).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(to - at)));
    at = to;
  }

  // The reader's position is given up, and begins anew: at `to` in this partition, elsewhere where
  // it stood.
  void BeginAt(Partition partition, std::int64_t to) {
    r_[static_cast<std::size_t>(partition.value)] = to;
    live.Stop();
    live.Start(deployment_.placement, std::vector<Offset>(r_.begin(), r_.end()));
  }

  // The lane applies the topic up to `to`.
  void MoveLane(Direction list, Partition partition, Shard shard, std::int64_t to) {
    MemoryTables& tables = tables_[static_cast<std::size_t>(shard.value)];
    MemoryLane& lane = LaneOf(list, partition, shard);
    for (std::int64_t at = lane.progress.event_offset.value; at < to; ++at) {
      const std::optional<EdgeMove> move =
          EdgeMove::Of(Log(partition)[static_cast<std::size_t>(at)]);
      if (!move) continue;
      const UserId owner = OwnerIn(list, *move);
      if (deployment_.placement.ShardOf(owner) != shard) continue;
      const EdgeKey key{owner, OtherIn(list, *move)};
      Edge& row = tables.edges[{ProjectionOf(list), Generation(1), key}];
      if (row.version > Version(at)) continue;
      row = {move->joins, move->since_ms, Version(at + 1)};
      tables.counts[{ProjectionOf(list), Generation(1), owner}] += move->joins ? 1 : -1;
    }
    lane.progress.event_offset = Offset(to);
    lane.folded_offset = std::max(lane.folded_offset, Offset(to));
  }

  // The lane is to apply the topic from `to` on again; its rows stay.
  void RewindLane(Direction list, Partition partition, Shard shard, std::int64_t to) {
    LaneOf(list, partition, shard).progress.event_offset = Offset(to);
  }

  // Whom each user follows, or is followed by, when the reader's position is where it is.
  [[nodiscard]] Followers AtReader(Direction list) {
    Followers lists;
    for (std::int32_t p = 0; p < kPartitions; ++p) {
      for (std::int64_t at = 0; at < ReaderAt(Partition(p)); ++at) {
        const auto move = EdgeMove::Of(Log(Partition(p))[static_cast<std::size_t>(at)]);
        if (!move) continue;
        auto& listed = lists[OwnerIn(list, *move)];
        if (move->joins) {
          listed[OtherIn(list, *move)] = move->since_ms;
        } else {
          listed.erase(OtherIn(list, *move));
        }
      }
    }
    return lists;
  }

  MemoryTables& TablesOf(Shard shard) { return tables_[static_cast<std::size_t>(shard.value)]; }

  Metrics metrics;
  CacheLimits limits;
  LiveLists live{kShards, limits, metrics};
  ListFetcher fetcher{live, /*ahead_wait_ms=*/0};
  int views_asked = 0;
  std::atomic<std::size_t> rows_asked = 0;
  std::function<void()> on_viewed = [] {};  // a view was read, and is not answered yet

 private:
  std::vector<Outcome>& Log(Partition partition) {
    return logs_[static_cast<std::size_t>(partition.value)];
  }
  MemoryLane& LaneOf(Direction list, Partition partition, Shard shard) {
    return TablesOf(shard).lanes[{ProjectionOf(list), Generation(1), partition}];
  }

  Deployment deployment_{Placement::Modulo({kPartitions, kShards}), {}};
  std::vector<std::vector<Outcome>> logs_;
  std::map<std::pair<UserId, UserId>, Edge> edges_;
  std::vector<MemoryTables> tables_;
  std::vector<std::unique_ptr<MemoryReader>> readers_;
  std::vector<std::int64_t> r_;
};

inline std::vector<ListedUser> SortedList(const std::map<UserId, std::int64_t>& listed) {
  std::vector<ListedUser> rows;
  for (const auto& [user, since] : listed) rows.push_back({user, since});
  std::ranges::sort(rows, ListedBefore);
  return rows;
}

}  // namespace fanfold::testing
