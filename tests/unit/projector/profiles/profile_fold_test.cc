// The fold of profiles on real tables: by lanes, by a load, and what verify and repair make of it.
#include "projector/profiles/profile_fold.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "common/base/split_mix.h"
#include "common/ports/profile_reader.h"
#include "common/sqlite/connection.h"
#include "projector/profiles/profile_rows.h"
#include "tests/unit/projector/fold_on_tables.h"

namespace fanfold::testing {

using namespace projector;
namespace {

const ProfileFold kFold{projections::kProfiles};

class ProfileFoldTest : public FoldOnTables {
 protected:
  ProfileFoldTest() : FoldOnTables(kFold) {}

  void Tell(std::uint64_t user, const std::string& name) {
    Put(user, EncodeProfileEvent({"e", UserId(user), 5, ProfileSet{Profile{name}}}));
  }
  void Delete(std::uint64_t user) {
    Put(user, EncodeProfileEvent({"e", UserId(user), 5, UserDeleted{}}));
  }

  void End(std::uint64_t user) {
    Put(user, EncodeProfileEvent({"e", UserId(user), 5, UserDeleted{.ends = {}, .stays = true}}));
  }
  void Restore(std::uint64_t user) {
    Put(user, EncodeProfileEvent({"e", UserId(user), 5, UserRestored{}}));
  }

  ProfileRow RowOf(std::uint64_t user, Generation generation = kG1) {
    const std::vector<UserId> users = {UserId(user)};
    return Must(OpenProfiles(*NewReader())->Read(generation, users)).rows.at(0);
  }
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

TEST_F(ProfileFoldTest, WhatEndedStaysSoUntilItIsRestored) {
  Tell(1, "Ann");
  End(1);
  Tell(1, "of a stale client");
  Fold();
  const ProfileRow ended{std::nullopt, true, Version(2), true};
  EXPECT_EQ(RowOf(1), ended) << "in one batch";
  Tell(1, "of a stale client");
  Delete(1);
  Fold();
  EXPECT_EQ(RowOf(1), ended) << "and in the next";
  Restore(1);
  Fold();
  EXPECT_EQ(RowOf(1), (ProfileRow{std::nullopt, false, Version(6)}));
  Restore(1);
  Tell(1, "Anew");
  Restore(1);
  Fold();
  EXPECT_EQ(RowOf(1), (ProfileRow{Profile{"Anew"}, false, Version(8)}));
}

// In any order of events, lanes, a load and an audit come to one row.
TEST_F(ProfileFoldTest, LanesLoadAndAuditAgreeOnWhatStays) {
  SplitMix64 random(7);
  for (int round = 0; round < 6; ++round) {
    for (int event = 0; event < 60; ++event) {
      const std::uint64_t user = 1 + random.Below(7);
      switch (random.Below(4)) {
        case 0:
          End(user);
          break;
        case 1:
          Restore(user);
          break;
        case 2:
          Delete(user);
          break;
        default:
          Tell(user, std::to_string(event));
      }
    }
    Fold();
    EXPECT_EQ(Verify().found, 0U) << round;
  }
  MakeSecond(/*loaded=*/true);
  for (std::uint64_t user = 1; user <= 7; ++user) {
    EXPECT_EQ(RowOf(user, Generation(2)), RowOf(user)) << user;
  }
  End(3);
  Tell(3, "of a stale client");
  Fold();
  sqlite::Connection hand(database_.path(), {});
  hand.Execute("UPDATE profiles_g1 SET deleted = 0 WHERE user_id = 3");
  EXPECT_EQ(Mend(Verify()), 1);
  EXPECT_TRUE(RowOf(3).stays);
  EXPECT_EQ(Verify().found, 0U);
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
  MakeSecond(/*loaded=*/true);
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
  EXPECT_EQ(KindsIn(found), (std::vector<std::string>{"wrong_document 3", "wrong_version 4",
                                                      "missing_row 5", "extra_row 77"}));
  EXPECT_EQ(Mend(found), 4);
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
