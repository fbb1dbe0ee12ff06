#include "tests/simulation/oracle.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "common/base/check.h"
#include "common/ports/profile_reader.h"

namespace fanfold::simulation {
namespace {

struct Follow {
  UserId subject;
  UserId object;
};

Follow FollowOf(Projection table, const EdgeKey& key) {
  if (table == projections::kFollowing) return {key.user, key.other};
  return {key.other, key.user};
}

EdgeKey KeyOf(Projection table, const Outcome& outcome) {
  if (table == projections::kFollowing) return {outcome.subject, outcome.object};
  return {outcome.object, outcome.subject};
}

std::string DescribeList(std::span<const ListedUser> list) {
  std::string text;
  for (const ListedUser& entry : list) {
    text += fmt::format(" {}@{}", entry.user.value, entry.since_ms);
  }
  return text;
}

}  // namespace

Oracle::Oracle(Adapters& adapters, const Placement& placement)
    : adapters_(adapters),
      placement_(placement),
      ledger_(placement.partitions()),
      rows_at_(static_cast<std::size_t>(placement.shards())) {
  const auto from_start = [&](Topic topic) {
    Result<std::unique_ptr<LogReader>> reader = adapters.log().NewReader(topic);
    FANFOLD_CHECK(reader.has_value(), "the log in memory gave no reader");
    for (std::int32_t partition = 0; partition < placement.partitions(); ++partition) {
      const Status started = (*reader)->Start(Partition(partition), Offset(0));
      FANFOLD_CHECK(started.has_value(), "the log in memory is not read");
    }
    return *std::move(reader);
  };
  outcomes_ = from_start(topics::kRelationOutcomes);
  told_ = from_start(topics::kUserEvents);
  posted_ = from_start(topics::kPostEvents);
  shown_ = from_start(topics::kFeedEvents);
  const auto partitions = static_cast<std::size_t>(placement.partitions());
  user_events_.resize(partitions);
  post_events_.resize(partitions);
  feed_events_.resize(partitions);
  for (std::int32_t shard = 0; shard < placement.shards(); ++shard) {
    stores_.push_back(adapters.NewStore(Shard(shard)));
  }
}

void Oracle::Complain(std::string what) {
  if (!complaint_) complaint_ = std::move(what);
}

void Oracle::ReadOutcomes() {
  while (true) {
    const Result<LogBatch> batch = outcomes_->Poll(kPolledMax, 0);
    FANFOLD_CHECK(batch.has_value(), "the log in memory is not read");
    if (batch->records.empty()) return;
    for (const LogRecord& record : batch->records) {
      if (auto wrong = ledger_.Published(record)) Complain(std::move(*wrong));
    }
  }
}

const Oracle::UserEvents& Oracle::ReadUserEvents() {
  while (true) {
    const Result<LogBatch> batch = told_->Poll(kPolledMax, 0);
    FANFOLD_CHECK(batch.has_value(), "the log in memory is not read");
    if (batch->records.empty()) return user_events_;
    for (const LogRecord& record : batch->records) {
      auto event = ReadProfileRecord(record.key, record.value, record.partition, kPartitions);
      auto& line = user_events_[static_cast<std::size_t>(record.partition.value)];
      line.push_back(event ? std::optional(*std::move(event)) : std::nullopt);
    }
  }
}

void Oracle::AfterProfiles(Shard shard, const LaneBatch& batch) {
  for (const LaneMove& move : batch.moves) {
    Offset& at = rows_at_[IndexOf(shard)][move.lane];
    at = std::max(at, move.to.event_offset);
    CheckProfiles(shard, move.lane.partition, at);
  }
}

void Oracle::CheckProfiles(Shard shard, Partition partition, Offset end) {
  std::map<UserId, ProfileRow> rows;
  std::set<ErasureKey> erasures;
  const auto& line = ReadUserEvents()[static_cast<std::size_t>(partition.value)];
  for (Offset at(0); at < end; at = Next(at)) {
    const auto& event = line[static_cast<std::size_t>(at.value)];
    if (!event) continue;
    const Version version(Next(at).value);
    rows[event->user] = Apply(rows[event->user], *event, version);
    if (!std::holds_alternative<ProfileSet>(event->what)) erasures.insert({event->user, version});
  }
  const auto reader = adapters_.NewReader(shard);
  for (const auto& [user, expected] : rows) {
    const auto view = OpenProfiles(*reader)->Read(kGeneration, std::span(&user, 1));
    FANFOLD_CHECK(view.has_value(), "the tables in memory are not read");
    if (view->rows.front() != expected) {
      return Complain(fmt::format("the profile of {} is of version {}, must be {}", user.value,
                                  view->rows.front().version.value, expected.version.value));
    }
    for (const Erasure& erasure : view->erasures) erasures.erase(erasure.key);
  }
  if (erasures.empty()) return;
  Complain(fmt::format("nobody ends the account of {}", erasures.begin()->user.value));
}

void Oracle::AfterCommit(Shard shard, const LaneBatch& batch, FollowLimit limit) {
  ReadOutcomes();
  for (const OutboxRow& row : batch.outbox) {
    if (auto wrong = ledger_.Decided(row, limit)) Complain(std::move(*wrong));
  }
  Keys touched;
  if (batch.rows != nullptr) {
    for (const EdgeRow& write : EdgesOf(*batch.rows).edges) touched.insert(write.key);
  }
  for (const LaneMove& move : batch.moves) {
    Advance(shard, move.lane, move.to.event_offset, touched);
    CheckDeciders(shard, move.lane.projection, move.lane.partition);
    if (move.to.published_offset > move.to.event_offset) {
      Complain(fmt::format("partition {} is noted as published up to {}, and stands at {}",
                           move.lane.partition.value, move.to.published_offset.value,
                           move.to.event_offset.value));
    }
    if (move.deciding && move.to.published_offset > ledger_.published(move.lane.partition)) {
      Complain(fmt::format("partition {} is noted as published up to {}, and is not",
                           move.lane.partition.value, move.to.published_offset.value));
    }
  }
  if (!complaint_) CheckEdges(shard, {batch.projection, batch.generation}, touched);
}

void Oracle::Advance(Shard shard, const LaneId& lane, Offset to, Keys& touched) {
  Offset& at = rows_at_[IndexOf(shard)][lane];
  if (to > ledger_.decided(lane.partition)) {
    return Complain(fmt::format("partition {} stands at {}, which nobody decided",
                                lane.partition.value, to.value));
  }
  for (; at < to; at = Next(at)) {
    const Outcome& outcome = ledger_.At(lane.partition, at).outcome;
    const EdgeKey key = KeyOf(lane.projection, outcome);
    const bool moves =
        outcome.kind == OutcomeKind::kFollowed || outcome.kind == OutcomeKind::kUnfollowed;
    if (moves && placement_.ShardOf(key.user) == shard) touched.insert(key);
  }
}

void Oracle::CheckDeciders(Shard shard, Projection projection, Partition partition) {
  if (const int deciders = adapters_.DecidersOf(shard, projection, partition); deciders > 1) {
    Complain(fmt::format("{} lanes of partition {} decide", deciders, partition.value));
  }
}

Edge Oracle::Expected(const Table& table, const EdgeKey& key) const {
  const Follow edge = FollowOf(table.projection, key);
  const RowsAt& rows = rows_at(placement_.ShardOf(key.user));
  const auto at =
      rows.find({table.projection, table.generation, placement_.PartitionOf(edge.subject)});
  if (at == rows.end()) return {};
  return ledger_.RowAt(edge.subject, edge.object, at->second);
}

void Oracle::CheckEdges(Shard shard, const Table& table, const Keys& keys) {
  if (keys.empty()) return;
  const std::vector<EdgeKey> asked(keys.begin(), keys.end());
  std::vector<UserId> users;
  for (const EdgeKey& key : asked) {
    if (users.empty() || users.back() != key.user) users.push_back(key.user);
  }
  const auto edges = OpenEdges(*stores_[IndexOf(shard)], table.projection, table.generation);
  const Result<LoadedRows> rows = edges->Load(asked, users);
  FANFOLD_CHECK(rows.has_value(), "the tables in memory are not read");
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Edge expected = Expected(table, asked[i]);
    if (rows->edges[i] == expected) continue;
    if (IsDamaged(table, asked[i])) continue;
    Complain(fmt::format("{} of {}: {} is {}, must be {}", ToString(table.projection),
                         asked[i].user.value, asked[i].other.value, Describe(rows->edges[i]),
                         Describe(expected)));
  }
  for (std::size_t i = 0; i < users.size(); ++i) {
    CheckCount(table, users[i], rows->counts[i]);
  }
}

void Oracle::CheckCount(const Table& table, UserId user, EdgeCount count) {
  const auto expected = std::ssize(ExpectedList(table, user));
  if (count.value == expected || IsDamaged(table, user)) return;
  Complain(fmt::format("{} of {}: the count is {}, the rows are {}", ToString(table.projection),
                       user.value, count.value, expected));
}

std::vector<ListedUser> Oracle::ExpectedList(const Table& table, UserId user) const {
  std::vector<ListedUser> list;
  for (std::uint64_t other = 1; other <= kUsers; ++other) {
    const Edge edge = Expected(table, {user, UserId(other)});
    if (edge.active) list.push_back({UserId(other), edge.since_ms});
  }
  return list;
}

std::vector<ListedUser> Oracle::ExpectedFriends(UserId user) const {
  std::vector<ListedUser> friends;
  for (ListedUser entry : ExpectedList({projections::kFollowing}, user)) {
    const Edge fan = Expected({projections::kFans}, {user, entry.user});
    if (!fan.active) continue;
    friends.push_back({entry.user, std::max(entry.since_ms, fan.since_ms)});
  }
  return friends;
}

void Oracle::Restored(Shard shard, const RowsAt& rows_at) {
  rows_at_[IndexOf(shard)] = rows_at;
  for (std::int32_t number = 0; number < placement_.partitions(); ++number) {
    const Partition partition(number);
    if (placement_.ShardOf(partition) != shard) continue;
    Offset decided(0);
    for (const auto& [lane, rows] : rows_at) {
      const bool of_partition =
          lane.projection == projections::kFollowing && lane.partition == partition;
      if (of_partition) decided = std::max(decided, rows);
    }
    ledger_.Forget(partition, decided);
  }
}

void Oracle::CheckList(const reader::ListQuery& query, const reader::ListAnswer& answer) {
  std::vector<ListedUser> expected =
      query.list == reader::ListKind::kFriends
          ? ExpectedFriends(query.user)
          : ExpectedList({query.list == reader::ListKind::kFans ? projections::kFans
                                                                : projections::kFollowing},
                         query.user);
  std::ranges::sort(expected, ListedBefore);
  const bool more = expected.size() > query.limit;
  if (more) expected.resize(query.limit);
  if (answer.items == expected && answer.next.has_value() == more) return;
  Complain(fmt::format("list {} of {}: read{}, must be{}", static_cast<int>(query.list),
                       query.user.value, DescribeList(answer.items), DescribeList(expected)));
}

void Oracle::CheckCounts(const UserCounts& counts) {
  const UserCounts expected{counts.user,
                            std::ssize(ExpectedList({projections::kFollowing}, counts.user)),
                            std::ssize(ExpectedList({projections::kFans}, counts.user)),
                            std::ssize(ExpectedFriends(counts.user))};
  if (counts == expected) return;
  Complain(fmt::format("counts of {}: read {} {} {}, must be {} {} {}", counts.user.value,
                       counts.following, counts.fans, counts.friends, expected.following,
                       expected.fans, expected.friends));
}

}  // namespace fanfold::simulation
