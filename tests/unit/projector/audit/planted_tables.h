// A deployment whose topic and tables a test fills by hand: outcomes are told, then folded, and
// rows changed behind the fold's back.
#pragma once

#include <deque>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "common/relation/codec.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/memory_database.h"
#include "common/sqlite/sqlite_store.h"
#include "projector/audit/row_digest.h"
#include "projector/audit/verifier.h"
#include "projector/runtime/outbox_codec.h"
#include "tests/contract/tables_under_test.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_log.h"

namespace fanfold::testing {

using namespace projector;

class FreePace final : public ScanPace {
 public:
  bool Read(std::int64_t items) override {
    read += items;
    return read < stop_at;
  }
  std::int64_t read = 0;
  std::int64_t stop_at = 100'000'000;
};

inline const std::vector<Projection> kBothProjections = {projections::kFollowing,
                                                         projections::kFans};

// Each of the users 1 … kUsers has something, so that every partition has some.
inline constexpr std::uint64_t kUsers = 9;

class PlantedTables {
 public:
  static constexpr std::int32_t kPartitions = 4;

  explicit PlantedTables(std::int32_t shards = 1)
      : placement(Placement::Modulo({kPartitions, shards})) {
    for (std::int32_t s = 0; s < shards; ++s) {
      const std::string& path = databases_.emplace_back().path();
      tables_.push_back(Must(OpenSqliteTables(path, Shard(s), {kPartitions, shards}, clock_)));
      hands_.push_back(std::make_unique<sqlite::Connection>(path, sqlite::ConnectionOptions{}));
      for (std::int32_t p = 0; p < kPartitions; ++p) {
        if (placement.ShardOf(Partition(p)) == Shard(s))
          AddLane(Shard(s), "following", "decides", p);
        AddLane(Shard(s), "fans", "applies", p);
      }
    }
  }

  // What was decided of the next event of the subject's partition.
  Outcome Tell(OutcomeKind kind, std::uint64_t subject, std::uint64_t object) {
    const Outcome outcome = NextOutcome(kind, subject, object);
    log.Put(topics::kRelationOutcomes, outcome.position.partition, ToString(outcome.subject),
            EncodeOutcome(outcome));
    return outcome;
  }
  void Follow(std::uint64_t subject, std::uint64_t object) {
    Tell(OutcomeKind::kFollowed, subject, object);
  }
  void Unfollow(std::uint64_t subject, std::uint64_t object) {
    Tell(OutcomeKind::kUnfollowed, subject, object);
  }
  // Decided, and not in the topic yet.
  void FollowInOutbox(std::uint64_t subject, std::uint64_t object) {
    const Outcome outcome = NextOutcome(OutcomeKind::kFollowed, subject, object);
    const auto [partition, offset] = outcome.position;
    std::string record;
    projector::AppendOutboxRecord(record, {ToString(outcome.subject), EncodeOutcome(outcome)});
    By(placement.ShardOf(partition),
       "INSERT INTO outbox VALUES ('following', 1, ?1, ?2, ?3, ?4, 'relation-events')",
       partition.value, offset.value, offset.value + 1, sqlite::Blob{record});
  }

  // Brings the tables to all that was told.
  void Fold() {
    for (; folded_ < told_.size(); ++folded_) FoldOne(told_[folded_]);
  }
  void FoldUpTo(std::size_t outcomes) {
    for (; folded_ < outcomes; ++folded_) FoldOne(told_[folded_]);
  }

  // A statement on the tables of one shard.
  template <class... Values>
  void By(Shard shard, std::string_view sql, const Values&... values) {
    sqlite::Connection& hand = HandOf(shard);
    Must(hand.Run([&] { return hand.Execute(sql, values...); }));
  }
  template <class... Values>
  void ByUser(std::uint64_t user, std::string_view sql, const Values&... values) {
    By(placement.ShardOf(UserId(user)), sql, values...);
  }
  [[nodiscard]] std::int64_t Ask(Shard shard, std::string_view sql) {
    sqlite::Connection& hand = HandOf(shard);
    return Must(hand.Run([&] {
      sqlite::Statement select = hand.Prepare(sql);
      return select.Next() ? select.I64(0) : -1;
    }));
  }
  [[nodiscard]] std::int64_t EpochOf(Shard shard, std::string_view projection,
                                     Partition partition) {
    return Ask(shard, fmt::format("SELECT owner_epoch FROM progress WHERE projection = '{}' AND "
                                  "\"partition\" = {}",
                                  projection, partition.value));
  }

  [[nodiscard]] AuditPorts Ports() {
    return {log, proof,
            [this](Shard shard) {
              if (on_snapshot) on_snapshot();
              ++snapshots;
              return NewSqliteTableSnapshot(TablesOf(shard));
            },
            placement, pace};
  }
  [[nodiscard]] Result<std::unique_ptr<TableOperations>> OpenOperations(Shard shard) {
    // A copy: it may take itself away.
    if (const auto called = on_operations) called();
    return NewSqliteTableOperations(TablesOf(shard));
  }
  [[nodiscard]] Verifier NewVerifier(std::size_t section_rows_max = Verifier::kSectionRowsMax,
                                     std::vector<Projection> projections = kBothProjections) {
    return {Ports(), {}, std::move(projections), section_rows_max};
  }

  const Placement placement;
  MemoryLog log{kPartitions};
  LogProof proof{log};
  FreePace pace;
  int snapshots = 0;
  // What happens beside the audit, before it opens its connection.
  std::function<void()> on_snapshot;
  std::function<void()> on_operations;

 private:
  sqlite::Connection& HandOf(Shard shard) { return *hands_[static_cast<std::size_t>(shard.value)]; }
  const std::shared_ptr<SqliteTables>& TablesOf(Shard shard) {
    return tables_[static_cast<std::size_t>(shard.value)];
  }

  void AddLane(Shard shard, std::string_view projection, std::string_view role,
               std::int32_t partition) {
    By(shard,
       "INSERT INTO progress (projection, generation, \"partition\", stream, role) VALUES (?1, 1, "
       "?2, "
       "'relation-events', ?3)",
       projection, partition, role);
  }

  Outcome NextOutcome(OutcomeKind kind, std::uint64_t subject, std::uint64_t object) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.subject = UserId(subject);
    outcome.object = UserId(object);
    const Partition partition = placement.PartitionOf(outcome.subject);
    outcome.position = {partition, Offset(ends_[partition]++)};
    outcome.since_ms = 100 + outcome.position.offset.value;
    told_.push_back(outcome);
    log.Put(topics::kRelationEvents, partition, ToString(outcome.subject), "an event");
    return outcome;
  }

  [[nodiscard]] RecordMark LastOf(Topic topic, Partition partition) {
    const auto& records = log.Records(topic, partition);
    if (records.empty()) return {};
    return {Offset(std::ssize(records) - 1), DigestOf(*records.back().key, *records.back().value)};
  }

  void FoldOne(const Outcome& outcome) {
    const RecordKey follow{outcome.subject, outcome.object};
    const EdgeChange change = Apply(edges_[follow], outcome);
    edges_[follow] = change.edge;
    for (const Projection projection : kBothProjections) {
      if (change.changed) Write(projection, KeyOf(projection, follow), change);
    }
    const Partition partition = outcome.position.partition;
    const RecordMark of_events = LastOf(topics::kRelationEvents, partition);
    const RecordMark of_outcomes = LastOf(topics::kRelationOutcomes, partition);
    for (std::int32_t s = 0; s < placement.shards(); ++s) {
      By(Shard(s),
         "UPDATE progress SET event_offset = ?1, next_offset = ?1, event_mark = ?3, "
         "event_digest = ?4, applied_mark = ?5, applied_digest = ?6 WHERE \"partition\" = ?2",
         outcome.position.offset.value + 1, partition.value, of_events.offset.value,
         of_events.digest, of_outcomes.offset.value, of_outcomes.digest);
    }
  }
  void Write(Projection projection, const EdgeKey& key, const EdgeChange& change) {
    const bool following = projection == projections::kFollowing;
    const Shard shard = placement.ShardOf(key.user);
    By(shard, fmt::format("REPLACE INTO {}_g1 VALUES (?1, ?2, ?3, ?4, ?5)", ToString(projection)),
       key.user.value, key.other.value, change.edge.active, change.edge.since_ms,
       change.edge.version.value);
    By(shard,
       fmt::format("INSERT INTO {}_g1 VALUES (?1, ?2) ON CONFLICT DO UPDATE SET n = n + ?2",
                   following ? "following_count" : "fan_count"),
       key.user.value, change.delta);
  }

  ManualClock clock_;
  std::deque<MemoryDatabase> databases_;
  std::vector<std::shared_ptr<SqliteTables>> tables_;
  std::vector<std::unique_ptr<sqlite::Connection>> hands_;
  std::map<Partition, std::int64_t> ends_;
  std::vector<Outcome> told_;
  std::size_t folded_ = 0;
  std::map<RecordKey, Edge> edges_;
};

// "kind projection user other", as verify tells them.
inline std::set<std::string> Told(const VerifyReport& report) {
  std::set<std::string> told;
  for (const Difference& difference : report.differences) {
    told.insert(fmt::format("{} {} {} {}", ToString(difference.kind),
                            ToString(difference.projection), difference.user.value,
                            difference.other.value));
  }
  EXPECT_EQ(report.found, report.differences.size());
  return told;
}

}  // namespace fanfold::testing
