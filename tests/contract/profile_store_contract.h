// What every adapter's rows of profiles do. Its test includes this and instantiates
// ProfileStoreContract with its TablesFactory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/ports/profile_kind.h"
#include "common/ports/profile_reader.h"
#include "common/ports/profile_store.h"
#include "common/ports/repair_base.h"
#include "tests/contract/tables_under_test.h"

namespace fanfold::testing {

class ProfileStoreContract : public ::testing::TestWithParam<TablesFactory> {
 protected:
  static constexpr LaneId kLane{projections::kProfiles, kG1, Partition(0)};

  ProfileStoreContract()
      : tables_(GetParam().make()), store_(tables_->NewStore()), reader_(tables_->NewReader()) {}

  static ProfileWrite Told(std::uint64_t user, const std::string& name, std::int64_t version) {
    return {UserId(user), {Profile{name}, false, Version(version)}};
  }
  static ProfileWrite Deleted(std::uint64_t user, std::int64_t version) {
    return {UserId(user), {std::nullopt, true, Version(version)}};
  }

  // In one transaction that carries the lane on by one event.
  void Write(std::vector<ProfileWrite> profiles, std::vector<Erasure> erasures = {}) {
    if (!lane_) lane_ = TakeOne(*store_, kLane, kApplying);
    LaneProgress to = lane_->progress;
    for (Offset* offset :
         {&to.next_offset, &to.event_offset, &to.outcome_offset, &to.published_offset}) {
      *offset = Next(*offset);
    }
    ProfileWrites writes;
    writes.profiles = std::move(profiles);
    writes.erasures = std::move(erasures);
    LaneBatch batch;
    batch.projection = projections::kProfiles;
    batch.moves = {{kLane, lane_->fence, kApplying, lane_->progress.next_offset, to}};
    batch.rows = &writes;
    const Status done = store_->Commit(batch);
    ASSERT_TRUE(done) << done.error().message;
    lane_->progress = to;
  }

  ProfileView Read(const std::vector<UserId>& users) {
    return Must(OpenProfiles(*reader_)->Read(kG1, users));
  }
  ProfileRow RowOf(std::uint64_t user) { return Read({UserId(user)}).rows.at(0); }

  std::unique_ptr<TablesUnderTest> tables_;
  std::unique_ptr<LaneStore> store_;
  std::unique_ptr<ProjectionReader> reader_;
  std::optional<TakenLane> lane_;
};

TEST_P(ProfileStoreContract, RowsAreReadInTheOrderAskedBesideTheirLanes) {
  Write({Told(1, "Ann", 1), Told(2, "Bob", 2), Deleted(7, 3)});
  const ProfileView view = Read({UserId(7), UserId(3), UserId(1)});
  ASSERT_EQ(view.rows.size(), 3U);
  EXPECT_EQ(view.rows[0], Deleted(7, 3).row);
  EXPECT_EQ(view.rows[1], ProfileRow());
  EXPECT_EQ(view.rows[2], Told(1, "Ann", 1).row);
  ASSERT_EQ(view.lanes.size(), 1U);
  EXPECT_EQ(view.lanes[0].partition, Partition(0));
  EXPECT_EQ(view.lanes[0].position, Offset(1));
  EXPECT_FALSE(view.lanes[0].rewound);
  EXPECT_EQ(view.repair_mark, 0U);
}

TEST_P(ProfileStoreContract, NobodyIsAskedForAndTheLanesAreTold) {
  Write({});
  EXPECT_EQ(Read({}).lanes.size(), 1U);
}

TEST_P(ProfileStoreContract, EveryByteOfADocumentIsKept) {
  Profile profile;
  profile.name = "a'b\"c\\d%_\n\t \xc3\xa9\xf0\x9f\x98\x80";
  profile.avatar_url = std::string(2'048, 'u');
  profile.bio = std::string(4'096, '\'');
  profile.verified = true;
  Write({{UserId(5), {profile, false, Version(1)}}});
  EXPECT_EQ(RowOf(5).profile, profile);
  Profile empty;
  empty.name = "";
  Write({{UserId(5), {empty, false, Version(2)}}});
  EXPECT_EQ(RowOf(5).profile, empty) << "an empty text is one, an absent one is none";
}

TEST_P(ProfileStoreContract, OfARowThatIsThereTheNewerCounts) {
  Write({Told(1, "Ann", 5)});
  Write({Told(1, "old", 4)});
  Write({Told(1, "same", 5)});
  EXPECT_EQ(RowOf(1), Told(1, "Ann", 5).row);
  Write({Deleted(1, 6)});
  Write({Told(1, "before the end", 3)});
  EXPECT_EQ(RowOf(1), Deleted(1, 6).row);
  Write({Told(1, "again", 7)});
  EXPECT_EQ(RowOf(1), Told(1, "again", 7).row);
}

TEST_P(ProfileStoreContract, ManyLongOnesAreOneTransaction) {
  std::vector<ProfileWrite> writes;
  for (std::uint64_t user = 1; user <= 1'000; ++user) {
    writes.push_back(Told(user, "n", 1));
    writes.back().row.profile->bio = std::string(4'096, '\\');
  }
  Write(writes);
  EXPECT_EQ(RowOf(1'000), writes.back().row);
}

class ErasureContract : public ProfileStoreContract {
 protected:
  static Erasure Begun(std::uint64_t user, std::int64_t version) {
    Erasure erasure{{UserId(user), Version(version)}, 77, {}, {}};
    erasure.ends[streams::kRelations] = {Offset(5), Offset(0), Offset(9'000'000'000)};
    return erasure;
  }
  std::vector<Erasure> Open(const std::optional<ErasureKey>& after = std::nullopt,
                            std::size_t limit = 100) {
    return Must(OpenProfiles(*reader_)->OpenErasures(after, limit));
  }
  static Erasure Ending(std::uint64_t user, std::int64_t version) {
    Erasure erasure = Begun(user, version);
    erasure.stays = true;
    erasure.progress.stage = EraseStage::kUnmeasured;
    return erasure;
  }
  static Erasure Restored(std::uint64_t user, std::int64_t version) {
    return {{UserId(user), Version(version)}, 77, {}, {EraseStage::kRestored, UserId(0), {}}};
  }
  Status Move(const ErasureKey& key, const ErasureProgress& from, const ErasureProgress& to) {
    Erasure stands = Begun(key.user.value, key.version.value);
    stands.progress = from;
    Erasure moved = stands;
    moved.progress = to;
    return OpenErasures(*store_)->Move(stands, moved);
  }
  std::vector<UserId> DeletedOnes(bool open, std::size_t limit = 100) {
    auto users = Must(OpenErasures(*store_)->Deleted(open, limit));
    std::ranges::sort(users);
    return users;
  }
  // In a transaction of the lane of fans.
  void Reach(const std::vector<ErasureKey>& ended) {
    constexpr LaneId kFansLane{projections::kFans, kG1, Partition(0)};
    if (!fans_lane_) fans_lane_ = TakeOne(*store_, kFansLane, kApplying);
    LaneProgress to = fans_lane_->progress;
    for (Offset* offset : {&to.next_offset, &to.event_offset, &to.outcome_offset}) {
      *offset = Next(*offset);
    }
    EdgeWrites writes;
    writes.reached = ended;
    LaneBatch batch;
    batch.projection = projections::kFans;
    batch.moves = {{kFansLane, fans_lane_->fence, kApplying, fans_lane_->progress.next_offset, to}};
    batch.rows = &writes;
    const Status done = store_->Commit(batch);
    ASSERT_TRUE(done) << done.error().message;
    fans_lane_->progress = to;
  }

  std::optional<TakenLane> fans_lane_;
};

TEST_P(ErasureContract, WhatIsToldOfAnAccountMovesItsRowByOneRule) {
  const auto row = [](AccountPhase phase, std::int64_t version) {
    ProfileRow said{std::nullopt, false, Version(version)};
    if (phase == AccountPhase::kTold) said.profile = Profile{.name = "n"};
    said.deleted = phase == AccountPhase::kDeleted || phase == AccountPhase::kEnded;
    said.stays = phase == AccountPhase::kEnded;
    return said;
  };
  constexpr std::array kPhases = {AccountPhase::kTold, AccountPhase::kDeleted, AccountPhase::kEnded,
                                  AccountPhase::kRestored};
  std::uint64_t user = 0;
  for (const AccountPhase before : kPhases) {
    for (const AccountPhase says : kPhases) {
      Write({{UserId(++user), row(before, 5)}});
      Write({{UserId(user), row(says, 6)}});
      EXPECT_EQ(RowOf(user), Moves(before, says) ? row(says, 6) : row(before, 5))
          << static_cast<int>(before) << " then " << static_cast<int>(says);
      Write({{UserId(user), row(AccountPhase::kEnded, 4)}});
      EXPECT_EQ(RowOf(user), Moves(before, says) ? row(says, 6) : row(before, 5)) << "older";
    }
  }
  Write({{UserId(100), row(AccountPhase::kEnded, 5)},
         {UserId(100), row(AccountPhase::kRestored, 6)},
         {UserId(100), row(AccountPhase::kTold, 7)}});
  EXPECT_EQ(RowOf(100), row(AccountPhase::kTold, 7)) << "in their order";
}

TEST_P(ErasureContract, AnAccountHasEndedUntilItIsRestored) {
  const std::vector<UserId> users = {UserId(1), UserId(2), UserId(3), UserId(4)};
  const auto ended = [&] {
    std::vector<ErasureKey> keys;
    for (const Erasure& erasure : Must(OpenErasures(*store_)->Ended(users))) {
      EXPECT_TRUE(erasure.stays);
      EXPECT_EQ(erasure.ends, Begun(1, 1).ends);
      keys.push_back(erasure.key);
    }
    return keys;
  };
  EXPECT_TRUE(ended().empty());
  Write({}, {Begun(1, 1), Ending(2, 1), Ending(3, 1)});
  using Keys = std::vector<ErasureKey>;
  EXPECT_EQ(ended(), (Keys{{UserId(2), Version(1)}, {UserId(3), Version(1)}}));
  Write({}, {Begun(2, 2), Restored(3, 2)});
  EXPECT_EQ(ended(), (Keys{{UserId(2), Version(1)}})) << "one that does not stay ends no end";
  Write({}, {Ending(3, 3), Restored(3, 2)});
  EXPECT_EQ(ended(), (Keys{{UserId(2), Version(1)}, {UserId(3), Version(3)}}));
  EXPECT_EQ(DeletedOnes(true), (std::vector{UserId(1), UserId(2), UserId(3)}));
  EXPECT_EQ(Open().size(), 5U) << "a restore is nothing to be done";
  EXPECT_EQ(Must(OpenProfiles(*reader_)->Open()).count, 5);
}

TEST_P(ErasureContract, WhoWasDeletedIsToldUpToALimit) {
  Write({}, {Begun(1, 1), Ending(2, 1), Begun(2, 3)});
  ASSERT_TRUE(Move({UserId(1), Version(1)}, {}, {EraseStage::kDone, UserId(0), {}}));
  EXPECT_EQ(DeletedOnes(false), (std::vector{UserId(1), UserId(2)}));
  EXPECT_EQ(DeletedOnes(true), (std::vector{UserId(2)}));
  EXPECT_EQ(DeletedOnes(false, 1).size(), 1U);
}

TEST_P(ErasureContract, WhatReachesAnEndedAccountOpensItsEndAgain) {
  Write({}, {Ending(7, 3), Begun(8, 3)});
  const Erasure begun = Open()[0];
  EXPECT_EQ(begun.progress.stage, EraseStage::kUnmeasured);
  Erasure done = begun;
  done.progress.behind = UserId(0);
  done.progress.stage = EraseStage::kDone;
  done.ends[streams::kRelations][0] = Offset(6);
  const auto erasures = OpenErasures(*store_);
  ASSERT_TRUE(erasures->Move(begun, done));
  EXPECT_EQ(Open().size(), 1U);
  Reach({begun.key});
  ASSERT_EQ(Open().size(), 2U);
  EXPECT_EQ(Open()[0].progress.stage, EraseStage::kUnmeasured);
  EXPECT_NE(Open()[0].progress.behind, begun.progress.behind) << "it is drawn";
  EXPECT_EQ(Open()[0].ends, done.ends);
  EXPECT_TRUE(Open()[0].stays);
  const Erasure seen = Open()[0];
  Reach({begun.key});
  Erasure to = seen;
  to.progress = {};
  EXPECT_EQ(CodeName(erasures->Move(seen, to)), "conflict") << "something has reached it since";
  const Erasure again = Open()[0];
  EXPECT_EQ(again.progress.behind, UserId(seen.progress.behind.value + 1));
  to.ends[streams::kRelations][0] = Offset(9);
  ASSERT_TRUE(erasures->Move(again, to));
  EXPECT_EQ(Open()[0].ends, to.ends);
  Erasure elsewhere = to;
  elsewhere.ends[streams::kRelations][0] = Offset(8);
  EXPECT_EQ(CodeName(erasures->Move(elsewhere, to)), "conflict") << "of another reach";
}

TEST_P(ErasureContract, ADeletionBeginsOnce) {
  const Erasure begun = Begun(7, 3);
  Write({}, {begun});
  ASSERT_EQ(Open().size(), 1U);
  EXPECT_EQ(Open()[0].key, begun.key);
  EXPECT_EQ(Open()[0].asked_ms, 77);
  EXPECT_EQ(Open()[0].ends[streams::kRelations], begun.ends[streams::kRelations]);
  EXPECT_EQ(Open()[0].progress, ErasureProgress());
  const ErasureProgress done{EraseStage::kDone, UserId(0), {}};
  ASSERT_TRUE(Move(begun.key, {}, done));
  EXPECT_TRUE(Open().empty());
  Write({}, {begun});
  EXPECT_TRUE(Open().empty()) << "folded again, it begins nothing again";
  EXPECT_EQ(Must(OpenProfiles(*reader_)->Open()).count, 0);
  Write({}, {Begun(7, 4)});
  EXPECT_EQ(Open().size(), 1U) << "another deletion does";
  EXPECT_EQ(Must(OpenProfiles(*reader_)->Open()).count, 1);
  EXPECT_EQ(Must(OpenProfiles(*reader_)->Open()).oldest_ms, 77);
}

TEST_P(ErasureContract, MovesFromWhereItStandsAlone) {
  const ErasureKey key = Begun(7, 3).key;
  Write({}, {Begun(7, 3)});
  const ErasureProgress page{EraseStage::kFans, UserId(kUserIdMax), {}};
  ASSERT_TRUE(Move(key, {}, page));
  EXPECT_EQ(Open()[0].progress, page);
  EXPECT_EQ(CodeName(Move(key, {}, page)), "conflict") << "it has moved";
  EXPECT_EQ(CodeName(Move(key, {EraseStage::kFans, UserId(1), {}}, page)), "conflict");
  EXPECT_EQ(CodeName(Move({UserId(8), Version(3)}, {}, page)), "conflict") << "there is none";
  ErasureProgress appended{EraseStage::kAppended, UserId(0), {}};
  appended.appended[streams::kRelations] = {Offset(1), Offset(2)};
  ASSERT_TRUE(Move(key, page, appended));
  EXPECT_EQ(Open()[0].progress, appended);
}

TEST_P(ErasureContract, OpenOnesArePagedWithEveryLimit) {
  std::vector<Erasure> written;
  for (const std::uint64_t user : {std::uint64_t{1}, std::uint64_t{2}, kUserIdMax}) {
    for (std::int64_t version = 1; version <= 2; ++version) written.push_back(Begun(user, version));
  }
  Write({}, written);
  for (std::size_t limit = 1; limit <= written.size() + 1; ++limit) {
    std::vector<ErasureKey> keys;
    std::optional<ErasureKey> after;
    while (true) {
      const auto page = Open(after, limit);
      for (const Erasure& erasure : page) keys.push_back(erasure.key);
      if (page.size() < limit) break;
      after = page.back().key;
    }
    ASSERT_EQ(keys.size(), written.size()) << limit;
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(keys[i], written[i].key) << i;
  }
}

TEST_P(ErasureContract, ReadersAreToldTheFirstOpenAndTheLastOfTheUsersTheyAsk) {
  std::vector<Erasure> begun = {Begun(1, 1)};
  for (std::int64_t version = 2; version <= 5; ++version) begun.push_back(Begun(2, version));
  Write({Deleted(1, 1), Deleted(2, 5)}, begun);
  ErasureProgress done{EraseStage::kDone, UserId(0), {}};
  done.appended[streams::kRelations] = {Offset(8)};
  for (const std::int64_t version : {2, 5}) {
    ASSERT_TRUE(Move({UserId(2), Version(version)}, {}, done));
  }
  std::vector<Erasure> told = Read({UserId(2), UserId(3)}).erasures;
  std::ranges::sort(told, {}, &Erasure::key);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].key, (ErasureKey{UserId(2), Version(3)}));
  EXPECT_EQ(told[0].progress.stage, EraseStage::kFollowing);
  EXPECT_EQ(told[1].key, (ErasureKey{UserId(2), Version(5)}));
  EXPECT_EQ(told[1].progress.stage, EraseStage::kDone);
  EXPECT_EQ(told[1].progress.appended, done.appended);
}

TEST_P(ProfileStoreContract, SnapshotsTellThemByKeyWithEveryLimit) {
  const std::vector<ProfileWrite> written = {Told(1, "a", 1), Told(2, "b", 2), Deleted(9, 3)};
  Write(written);
  for (std::size_t limit = 1; limit <= 4; ++limit) {
    const auto snapshot = tables_->NewSnapshot();
    std::vector<RowImage> all;
    std::optional<RowKey> after;
    while (true) {
      const auto page =
          Must(snapshot->Rows(projections::kProfiles, kG1, after, UserId(kUserIdMax), limit));
      all.insert(all.end(), page.begin(), page.end());
      if (page.size() < limit) break;
      after = page.back().key;
    }
    ASSERT_EQ(all.size(), written.size()) << limit;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].key, (RowKey{written[i].user, UserId(0)}));
      EXPECT_EQ(all[i].state, StateOf(written[i].row)) << i;
    }
    EXPECT_TRUE(
        Must(snapshot->Counts(projections::kProfiles, kG1, {}, UserId(kUserIdMax), 9)).empty());
  }
}

TEST_P(ProfileStoreContract, RepairWritesWhatTheRecordSays) {
  Write({Told(1, "wrong", 1), Told(2, "extra", 2)});
  const RepairScope scope{projections::kProfiles, kG1,
                          {Partition(0)},         {{UserId(1), UserId(0)}, {UserId(2), UserId(0)}},
                          {UserId(1), UserId(2)}, "tested"};
  const RepairBase base =
      Must(ReadRepairBase(*tables_->NewSnapshot(), scope, [] { return true; }, 2));
  const ProfileEvent event{"e", UserId(1), 5, ProfileSet{Profile{"right"}}};
  const ProfileRow right{Profile{"right"}, false, Version(4)};
  const auto done = tables_->NewOperations()->Repair(
      scope, base, [&](const RepairView&) -> Result<std::vector<RowToBe>> {
        return std::vector<RowToBe>{{StateOf(right), EncodeProfileEvent(event)}, {}};
      });
  EXPECT_EQ(Must(done).rows.size(), 2U);
  EXPECT_EQ(RowOf(1), right);
  EXPECT_EQ(RowOf(2), ProfileRow());
  EXPECT_GT(Read({}).repair_mark, 0U);
}

}  // namespace fanfold::testing
