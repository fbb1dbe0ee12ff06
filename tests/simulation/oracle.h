// The oracle of every fault: state(tables) == fold(outcomes up to the progress vector), counts ==
// rows, outcomes dense and one per event, nothing published that was not decided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/feed/feed_row.h"
#include "common/ports/edge_store.h"
#include "common/ports/lane.h"
#include "common/ports/shown_reader.h"
#include "common/post/post_row.h"
#include "common/profile/profile_event.h"
#include "common/stream/slot.h"
#include "projector/audit/difference.h"
#include "reader/query_service.h"
#include "tests/simulation/adapters.h"
#include "tests/simulation/ledger.h"
#include "tests/simulation/scale.h"

namespace fanfold::simulation {

// How far the rows of a shard's lanes have come: every event below is in them. Never back but by a
// restore; a lane that folds part of its topic again leaves them where they are.
using RowsAt = std::map<LaneId, Offset>;

// Records that it takes of a topic at once.
inline constexpr std::size_t kPolledMax = 1000;

class Oracle {
 public:
  // `adapters` outlive it; it looks at them through connections of its own, which do not fail.
  Oracle(Adapters& adapters, const Placement& placement);

  // A batch was applied by a process with this limit: checks the edges and counts it touched, and
  // those it should have.
  void AfterCommit(Shard shard, const LaneBatch& batch, FollowLimit limit);

  // The same of a batch of profiles: their rows are what the topic says, and each deletion has
  // begun.
  void AfterProfiles(Shard shard, const LaneBatch& batch);

  // The same of a batch of posts, of any generation: their rows are what was decided about the
  // events.
  void AfterPosts(Shard shard, const LaneBatch& batch);
  // The posts that are there once every event of the partition below `end` is decided.
  [[nodiscard]] std::map<RowKey, PostRow> PostsAt(Partition partition, Offset end);
  // Was the event decided as one of an ended account?
  [[nodiscard]] bool IsRejected(Position post_event) const {
    return rejected_.contains(post_event);
  }
  // Each event of a post has its outcome in the topic, cut, in order; copies are copies.
  void CheckPostOutcomes();

  // The same of a batch of feed state.
  void AfterFeeds(Shard shard, const LaneBatch& batch);
  // The rows, forgotten ones too, once every event of the partition below `end` is folded.
  [[nodiscard]] std::map<RowKey, FeedRow> FeedsAt(Partition partition, Offset end);

  // Takes in what the outcome topic has got since.
  void ReadOutcomes();
  // What users told, by partition and offset; nothing where it could not be read.
  using UserEvents = std::vector<std::vector<std::optional<ProfileEvent>>>;
  [[nodiscard]] const UserEvents& ReadUserEvents();
  // Was the user's account ever ended so that it stays? Is it, when all is folded?
  [[nodiscard]] bool EverEnded(UserId user);
  [[nodiscard]] bool HasEnded(UserId user);
  // Was the record there while the user's account had ended, before it was restored?
  [[nodiscard]] bool IsOfEnded(UserId user, Topic topic, Partition partition, Offset record);
  // What authors asked for, likewise.
  using PostEvents = std::vector<std::vector<std::expected<PostEvent, Unreadable>>>;
  [[nodiscard]] const PostEvents& ReadPostEvents();
  // What owners were shown, likewise.
  using FeedEvents = std::vector<std::vector<std::expected<FeedEvent, Unreadable>>>;
  [[nodiscard]] const FeedEvents& ReadFeedEvents();

  [[nodiscard]] const RowsAt& rows_at(Shard shard) const { return rows_at_.at(IndexOf(shard)); }
  // The shard's tables are those of then.
  void Restored(Shard shard, const RowsAt& rows_at);

  // What a read of the tables as they are must have answered.
  void CheckList(const reader::ListQuery& query, const reader::ListAnswer& answer);
  void CheckCounts(const UserCounts& counts);

  // The tables of one generation.
  struct Table {
    Projection projection;
    Generation generation = kGeneration;
    friend auto operator<=>(const Table&, const Table&) = default;
  };

  // Somebody has changed the row, or the user's count, by hand: they are what they are until they
  // are found right.
  void Damaged(const Table& table, const EdgeKey& key);
  // The first that is wrong of those users' rows and counts; empty where none is.
  [[nodiscard]] std::string WhatIsDamaged(const Table& table) const;
  // Of those that are changed: all that an audit of these tables may find.
  void CheckDifferences(std::span<const projector::Difference> differences,
                        const ReadGenerations& read);
  // A repair is over.
  void ForgetMended();

  // A generation has been loaded on the shard.
  void Loaded(Shard shard, const Table& table);
  void Dropped(Shard shard, const Table& table);

  // Every row and every count.
  void CheckTable(Shard shard, const Table& table);

  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

  void Complain(std::string what);
  // The first thing found wrong.
  [[nodiscard]] const std::optional<std::string>& complaint() const { return complaint_; }

 private:
  using Keys = std::set<EdgeKey>;

  static std::size_t IndexOf(Shard shard) { return static_cast<std::size_t>(shard.value); }
  // The edges that should move on this shard as the lane's rows go on to `to`.
  void Advance(Shard shard, const LaneId& lane, Offset to, Keys& touched);
  void CheckEdges(Shard shard, const Table& table, const Keys& keys);
  void CheckCount(const Table& table, UserId user, EdgeCount count);
  [[nodiscard]] std::string WrongOf(const Table& table, UserId user) const;
  [[nodiscard]] bool IsDamaged(const Table& table, const EdgeKey& key) const;
  // Some row of the user is, and with it the count.
  [[nodiscard]] bool IsDamaged(const Table& table, UserId user) const;
  void CheckDeciders(Shard shard, Projection projection, Partition partition);
  void CheckProfiles(Shard shard, Partition partition, Offset end);
  void NoteRejected(const OutboxRow& row);
  void CheckPosts(Shard shard, const LaneId& lane, Offset end);
  void CheckFeeds(Shard shard, const LaneId& lane, Offset end);
  [[nodiscard]] Edge Expected(const Table& table, const EdgeKey& key) const;
  [[nodiscard]] std::vector<ListedUser> ExpectedList(const Table& table, UserId user) const;
  [[nodiscard]] std::vector<ListedUser> ExpectedFriends(UserId user) const;

  Adapters& adapters_;
  Placement placement_;
  Ledger ledger_;
  std::vector<std::unique_ptr<LaneStore>> stores_;
  std::unique_ptr<LogReader> outcomes_;
  std::unique_ptr<LogReader> told_;
  UserEvents user_events_;
  std::unique_ptr<LogReader> posted_;
  PostEvents post_events_;
  std::set<Position> rejected_;  // events of posts
  std::unique_ptr<LogReader> shown_;
  FeedEvents feed_events_;
  std::vector<RowsAt> rows_at_;
  std::map<Table, Keys> damaged_;  // rows, and their users' counts besides
  std::optional<std::string> complaint_;
};

}  // namespace fanfold::simulation
