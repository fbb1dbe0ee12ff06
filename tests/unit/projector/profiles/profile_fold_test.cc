// The fold of profiles on real tables: by lanes, by a load, and what verify and repair make of it.
#include "projector/profiles/profile_fold.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "common/ports/profile_reader.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/memory_database.h"
#include "common/sqlite/sqlite_store.h"
#include "projector/audit/repairer.h"
#include "projector/audit/verifier.h"
#include "projector/profiles/profile_rows.h"
#include "projector/rebuild/loader.h"
#include "projector/runtime/shard_worker.h"
#include "tests/contract/tables_under_test.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_log.h"

namespace fanfold::testing {

using namespace projector;
namespace {

constexpr auto kProfiles = projections::kProfiles;

class FreePace final : public ScanPace {
 public:
  bool Read(std::int64_t) override { return true; }
};

class ProfileFoldTest : public ::testing::Test {
 protected:
  static constexpr std::int32_t kPartitions = 4;

  void Put(std::uint64_t user, const std::string& value) {
    log_.Put(topics::kUserEvents, placement_.PartitionOf(UserId(user)), ToString(UserId(user)),
             value);
  }
  void Tell(std::uint64_t user, const std::string& name) {
    Put(user, EncodeProfileEvent({"e", UserId(user), 5, ProfileSet{Profile{name}}}));
  }
  void Delete(std::uint64_t user) {
    Put(user, EncodeProfileEvent({"e", UserId(user), 5, UserDeleted{}}));
  }

  void Fold() {
    ShardWorker worker(fold_, WorkPlace{placement_, Shard(0), kG1}, "test",
                       WorkerPorts{log_, NewSqliteLaneStore(tables_), clock_, series_});
    ASSERT_TRUE(worker.Open());
    std::vector<Partition> all;
    for (std::int32_t p = 0; p < kPartitions; ++p) all.emplace_back(p);
    worker.Gain(all);
    for (int i = 0; i < 20; ++i) {
      worker.Step(0);
      clock_.now_ms += 1'000;
    }
    worker.Lose(all);
  }

  ProfileRow RowOf(std::uint64_t user, Generation generation = kG1) {
    const auto reader = Must(NewSqliteProjectionReader(tables_));
    const std::vector<UserId> users = {UserId(user)};
    return Must(OpenProfiles(*reader)->Read(generation, users)).rows.at(0);
  }
  std::vector<ParkedRow> Parked() {
    return Must(Must(NewSqliteProjectionReader(tables_))->Parked(kProfiles, {}, 10));
  }

  AuditPorts Ports() {
    return {log_, [this](Shard) { return NewSqliteTableSnapshot(tables_); }, placement_, pace_};
  }
  VerifyReport Verify() { return Must(Verifier(Ports(), {}, {kProfiles}).All()); }

  const Placement placement_ = Placement::Modulo({kPartitions, 1});
  MemoryLog log_{kPartitions};
  ManualClock clock_;
  MemoryDatabase database_;
  std::shared_ptr<SqliteTables> tables_ =
      Must(OpenSqliteTables(database_.path(), Shard(0), {kPartitions, 1}, clock_));
  Metrics metrics_;
  ProjectorMetrics series_{metrics_, kProfiles};
  const ProfileFold fold_{kProfiles};
  FreePace pace_;
};

TEST_F(ProfileFoldTest, TheLastEventOfAUserIsHisRow) {
  Tell(1, "Ann");
  Tell(2, "Bob");
  Tell(1, "Anna");
  Delete(2);
  Fold();
  EXPECT_EQ(RowOf(1).profile->name, "Anna");
  EXPECT_TRUE(RowOf(2).deleted);
  Tell(2, "Bob again");
  Fold();
  EXPECT_EQ(RowOf(2).profile->name, "Bob again");
  EXPECT_FALSE(RowOf(2).deleted);
}

// Nobody decides about it: there is no outcome to miss.
TEST_F(ProfileFoldTest, WhatCannotBeReadIsParkedForItsReasonAndPassed) {
  Tell(1, "Ann");
  Put(1, "garbage");
  Tell(1, "Anna");
  Fold();
  EXPECT_EQ(RowOf(1).profile->name, "Anna");
  const std::vector<ParkedRow> parked = Parked();
  ASSERT_EQ(parked.size(), 1U);
  EXPECT_EQ(parked[0].reason, ParkReason::kMalformed);
  EXPECT_EQ(parked[0].offset, Offset(1));
}

TEST_F(ProfileFoldTest, ALoadedGenerationIsTheSame) {
  for (std::uint64_t user = 1; user <= 50; ++user) Tell(user, "n" + std::to_string(user));
  Put(7, "garbage");
  for (std::uint64_t user = 1; user <= 50; user += 3) Delete(user);
  Fold();
  const auto generations = NewSqliteGenerationOperations(tables_);
  std::vector<Partition> all;
  for (std::int32_t p = 0; p < kPartitions; ++p) all.emplace_back(p);
  ASSERT_TRUE(generations->Create(kProfiles, Generation(2), kFirstSlotMap, all, std::nullopt));
  Loader loader(
      {log_,
       [this](Shard) -> Result<std::unique_ptr<LaneStore>> { return NewSqliteLaneStore(tables_); },
       placement_, pace_},
      fold_,
      {.generation = Generation(2),
       .shards = {Shard(0)},
       .owner = "test",
       .until = {},
       .chunk_bytes_max = 2'000});
  const Status loaded = loader.LoadAll();
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_TRUE(generations->FinishLoading(kProfiles, Generation(2)));
  for (std::uint64_t user = 1; user <= 50; ++user) {
    EXPECT_EQ(RowOf(user, Generation(2)), RowOf(user)) << user;
  }
}

TEST_F(ProfileFoldTest, WhatIsNotAsTheTopicSaysIsFoundAndMended) {
  for (std::uint64_t user = 1; user <= 9; ++user) Tell(user, "n");
  Put(3, "garbage");
  Tell(3, "last");
  Fold();
  EXPECT_EQ(Verify().found, 0U);
  sqlite::Connection hand(database_.path(), {});
  hand.Execute("UPDATE profiles_g1 SET name = CAST('changed' AS BLOB) WHERE user_id = 3");
  hand.Execute("UPDATE profiles_g1 SET version = version + 9 WHERE user_id = 4");
  hand.Execute("DELETE FROM profiles_g1 WHERE user_id = 5");
  hand.Execute("INSERT INTO profiles_g1 (user_id, version) VALUES (77, 3)");
  const VerifyReport found = Verify();
  std::vector<std::string> kinds;
  for (const Difference& difference : found.differences) {
    kinds.push_back(std::string(ToString(difference.kind)) + ' ' + ToString(difference.user));
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"wrong_document 3", "wrong_version 4", "missing_row 5",
                                             "extra_row 77"}));
  Repairer repairer(Ports(),
                    [this](Shard) -> Result<std::unique_ptr<TableOperations>> {
                      return NewSqliteTableOperations(tables_);
                    },
                    {});
  EXPECT_EQ(Must(repairer.Mend(found.differences, "test")).rows, 4U);
  EXPECT_EQ(Verify().found, 0U);
  EXPECT_EQ(RowOf(3).profile->name, "last");
}

constexpr std::int32_t kHere = 4;  // partitions

// The transactions of two generations insert the same rows.
TEST(ProfileRowsTest, ErasuresAreInTheOrderOfTheirKey) {
  ProfileRows rows(kHere);
  std::vector<std::string> texts;
  texts.reserve(4);
  std::vector<LogRecord> records;
  for (const std::uint64_t user : {9ULL, 2ULL}) {
    LogRecord& record = records.emplace_back();
    record.partition = PartitionOf(UserId(user), kHere);
    record.key = texts.emplace_back(ToString(UserId(user)));
    record.value = texts.emplace_back(EncodeProfileEvent({"e", UserId(user), 5, UserDeleted{}}));
  }
  (void)rows.Read(records);
  rows.Keep(std::vector<std::size_t>{0, 1});
  rows.Seal();
  ASSERT_EQ(rows.writes().erasures.size(), 2U);
  EXPECT_EQ(rows.writes().erasures[0].key.user, UserId(2));
}

TEST(ProfileRowsTest, MemoryIsCountedWithItsTexts) {
  const std::string key = ToString(UserId(1));
  const std::string value =
      EncodeProfileEvent({"e", UserId(1), 5, ProfileSet{{.bio = std::string(900, 'b')}}});
  LogRecord record;
  record.partition = PartitionOf(UserId(1), kHere);
  record.key = key;
  record.value = value;
  ProfileRows rows(kHere);
  (void)rows.Read(std::span(&record, 1));
  rows.Keep(std::vector<std::size_t>{0});
  EXPECT_GT(rows.bytes(), 900U);
  rows.Clear();
  EXPECT_EQ(rows.bytes(), 0U);
}

}  // namespace
}  // namespace fanfold::testing
