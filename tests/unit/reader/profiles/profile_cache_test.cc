#include "reader/profiles/profile_cache.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/split_mix.h"
#include "common/profile/profile_event.h"

namespace fanfold::reader {
namespace {

constexpr std::int32_t kPartitions = 4;
constexpr std::int32_t kShards = 2;
constexpr std::uint64_t kUsers = 12;
constexpr std::size_t kRoomy = std::size_t{1} << 20;

const Placement kPlacement = Placement::Modulo({kPartitions, kShards});

ProfileEvent Told(UserId user, const std::string& name) {
  return {.event_id = "", .user = user, .at_ms = 0, .what = ProfileSet{Profile{.name = name}}};
}
ProfileEvent Ended(UserId user) {
  return {.event_id = "", .user = user, .at_ms = 0, .what = UserDeleted{.ends = {}, .stays = true}};
}
ProfileEvent Restored(UserId user) {
  return {.event_id = "", .user = user, .at_ms = 0, .what = UserRestored{}};
}
ProfileEvent Deleted(UserId user) {
  return {.event_id = "", .user = user, .at_ms = 0, .what = UserDeleted{}};
}

// Stands where it is put.
class StandsAt final : public ReaderPosition {
 public:
  void Stand(Offset next) {
    const StretchEnds ends(*this);
    StandAt(std::vector<Offset>(kPartitions, next));
  }
};

// The log, and tables of it up to where the lanes stand.
class Model {
 public:
  void Append(ProfileEvent event) {
    const Partition partition = kPlacement.PartitionOf(event.user);
    std::vector<ProfileEvent>& log = log_[partition];
    log.push_back(std::move(event));
  }
  [[nodiscard]] Offset End(Partition partition) { return Offset(std::ssize(log_[partition])); }
  [[nodiscard]] ProfileRow RowAt(UserId user, Offset at) {
    ProfileRow row;
    Version version;
    for (const ProfileEvent& event : log_[kPlacement.PartitionOf(user)]) {
      if (version.value == at.value) break;
      version = Version(version.value + 1);
      if (event.user == user) row = Apply(row, event, version);
    }
    return row;
  }
  // What the events from ≤ offset < to say.
  [[nodiscard]] std::vector<ToldProfile> Told(Partition partition, Offset from, Offset to) {
    std::vector<ToldProfile> told;
    for (Offset at = from; at < to; at = Next(at)) {
      const ProfileEvent& event = log_[partition][static_cast<std::size_t>(at.value)];
      const ProfileRow row = RowSaidBy(event, Version(at.value + 1));
      told.push_back({event.user, HeldProfile::Of(row)});
    }
    return told;
  }

  [[nodiscard]] ProfileView Read(Shard shard, std::span<const UserId> users) {
    ProfileView view;
    view.repair_mark = marks[shard];
    for (std::int32_t p = 0; p < kPartitions; ++p) {
      if (kPlacement.ShardOf(Partition(p)) != shard) continue;
      view.lanes.push_back({Partition(p), lanes[Partition(p)], rewound});
    }
    for (const UserId user : users) {
      view.rows.push_back(RowAt(user, lanes[kPlacement.PartitionOf(user)]));
      for (const auto& [key, progress] : erasures) {
        if (key.user == user) view.erasures.push_back({key, 0, {}, progress});
      }
      if (wrong.contains(user)) view.rows.back().profile = Profile{.name = "wrong"};
    }
    return view;
  }

  std::map<Partition, Offset> lanes;
  std::map<Shard, std::uint64_t> marks;
  std::map<ErasureKey, ErasureProgress> erasures;
  std::set<UserId> wrong;
  bool rewound = false;

 private:
  std::map<Partition, std::vector<ProfileEvent>> log_;
};

class ProfileCacheTest : public ::testing::Test {
 protected:
  ProfileCacheTest() { Start(cache_); }

  static void Start(ProfileCache& cache) {
    cache.SetRead({});
    cache.Start(kPlacement, std::vector<Offset>(kPartitions, Offset(0)));
  }
  // That partition from there on.
  static void Start(ProfileCache& cache, Partition partition, Offset next) {
    std::vector<Offset> all(kPartitions, Offset(0));
    all[static_cast<std::size_t>(partition.value)] = next;
    cache.Start(kPlacement, all);
  }
  void Follow(ProfileCache& cache, Partition partition, Offset to) {
    const Offset from = cache.Next(partition).value();
    const Position next[] = {{partition, to}};
    cache.Advance(model_.Told(partition, from, to), next);
  }
  void Follow() { Follow(cache_, own_, model_.End(own_)); }
  ProfileCache::Brought Ask(ProfileCache& cache, UserId user, Tells asked = Tells::kProfile) {
    const Shard shard = kPlacement.ShardOf(user);
    const auto ticket = cache.NewTicket(shard, Generation(1));
    return cache.Install(ticket, std::span(&user, 1), model_.Read(shard, std::span(&user, 1)),
                         asked);
  }
  [[nodiscard]] std::string Held(UserId user) {
    const auto found = cache_.Find(Generation(1), std::span(&user, 1), Tells::kProfile);
    return found.front() ? found.front()->json : "nothing";
  }
  static std::string Named(const std::string& name) {
    return HeldProfile::Of({.profile = Profile{.name = name}, .deleted = false, .version = {}})
        .json;
  }

  const UserId user_{1};
  ReaderPositions Readers() {
    ReaderPositions readers = FollowsRelations(relations_);
    readers[streams::kPosts] = &posts_;
    return readers;
  }

  StandsAt relations_, posts_;
  const ReaderPositions readers_ = Readers();
  const Partition own_ = kPlacement.PartitionOf(user_);
  Metrics metrics_;
  Model model_;
  ProfileCache cache_{kShards, kRoomy, readers_, metrics_};
};

TEST_F(ProfileCacheTest, WhatAnEventSaysOfAHeldUserIsHeldAtOnce) {
  EXPECT_EQ(Held(user_), "nothing");
  (void)Ask(cache_, user_);
  model_.Append(Told(user_, "a"));
  model_.Append(Told(user_, "b"));
  Follow();
  EXPECT_EQ(Held(user_), Named("b"));
  model_.Append(Deleted(user_));
  Follow();
  EXPECT_EQ(Held(user_), "null");
}

TEST_F(ProfileCacheTest, WhetherAProfileMovesAUserWhoIsNotHeldTheTablesKnow) {
  model_.Append(Ended(user_));
  model_.lanes[own_] = model_.End(own_);
  Start(cache_, own_, model_.End(own_));
  model_.Append(Told(user_, "a"));
  model_.Append(Told(user_, "b"));
  Follow();
  EXPECT_EQ(Held(user_), "nothing");
  const auto brought = Ask(cache_, user_);
  EXPECT_FALSE(brought.as_tables_are);
  EXPECT_TRUE(brought.rows[0].deleted);
  EXPECT_EQ(Held(user_), "null") << "and held it is from now on";
  model_.Append(Told(user_, "c"));
  Follow();
  EXPECT_EQ(Held(user_), "null");
  model_.Append(Restored(user_));
  model_.Append(Told(user_, "d"));
  Follow();
  EXPECT_EQ(Held(user_), Named("d"));
}

TEST_F(ProfileCacheTest, OfAUserWhoIsNotHeldAndWasRestoredTheTablesAreAsked) {
  model_.Append(Ended(user_));
  model_.lanes[own_] = model_.End(own_);
  Start(cache_, own_, model_.End(own_));
  model_.Append(Restored(user_));
  model_.Append(Told(user_, "a"));
  Follow();
  EXPECT_EQ(Held(user_), "nothing");
  EXPECT_TRUE(Ask(cache_, user_).as_tables_are) << "what the two leave, memory cannot tell";
  EXPECT_EQ(Held(user_), "nothing");
  model_.lanes[own_] = model_.End(own_);
  EXPECT_FALSE(Ask(cache_, user_).as_tables_are);
  EXPECT_EQ(Held(user_), Named("a"));
}

TEST_F(ProfileCacheTest, AnEndNeedsNoTables) {
  model_.Append(Ended(user_));
  Follow();
  EXPECT_EQ(Held(user_), "null");
}

TEST_F(ProfileCacheTest, ARowBehindTheReaderIsBroughtForward) {
  model_.Append(Told(user_, "a"));
  Follow();
  const auto brought = Ask(cache_, user_);
  EXPECT_EQ(brought.rows.front().json, Named("a")) << "the lane stands at 0";
  EXPECT_FALSE(brought.as_tables_are);
}

TEST_F(ProfileCacheTest, ARowAheadOfTheReaderStaysWhenHeComesThere) {
  model_.Append(Told(user_, "a"));
  model_.lanes[own_] = Offset(1);
  EXPECT_FALSE(Ask(cache_, user_).as_tables_are);
  Follow();
  EXPECT_EQ(Held(user_), Named("a"));
}

TEST_F(ProfileCacheTest, WhoHasNoRowIsHeldToo) {
  EXPECT_EQ(Ask(cache_, user_).rows.front().json, "null");
  EXPECT_EQ(Held(user_), "null");
}

// Room for one.
TEST_F(ProfileCacheTest, WhoseEventLeftIsNotHeldBeforeTheTablesHaveIt) {
  ProfileCache small(kShards, ProfileCache::kUserBytes + 128, readers_, metrics_);
  Start(small);
  model_.Append(Told(user_, "a"));
  Follow(small, own_, Offset(1));
  UserId other(2);
  while (kPlacement.PartitionOf(other) != own_) other = UserId(other.value + 1);
  model_.Append(Told(other, "b"));
  Follow(small, own_, Offset(2));
  const auto below = Ask(small, user_);
  EXPECT_TRUE(below.as_tables_are);
  EXPECT_EQ(below.rows.front().json, "null") << "as the tables are";
  EXPECT_FALSE(small.Find(Generation(1), std::span(&user_, 1), Tells::kProfile).front());
  model_.lanes[own_] = Offset(1);
  EXPECT_FALSE(Ask(small, user_).as_tables_are);
}

TEST_F(ProfileCacheTest, WhatIsReadOfAnotherGenerationIsNotHeld) {
  const auto ticket = cache_.NewTicket(Shard(0), Generation(2));
  const UserId user[] = {user_};
  EXPECT_TRUE(
      cache_.Install(ticket, user, model_.Read(Shard(0), user), Tells::kProfile).as_tables_are);
  EXPECT_EQ(Held(user_), "nothing");
}

// It may be of tables that are no more.
TEST_F(ProfileCacheTest, WhatWasReadBeforeItsShardWasDroppedIsNotHeld) {
  const Shard shard = kPlacement.ShardOf(user_);
  const auto ticket = cache_.NewTicket(shard, Generation(1));
  const ProfileView view = model_.Read(shard, std::span(&user_, 1));
  cache_.DropShard(shard);
  const auto brought = cache_.Install(ticket, std::span(&user_, 1), view, Tells::kProfile);
  EXPECT_TRUE(brought.as_tables_are);
  EXPECT_EQ(Held(user_), "nothing");
}

TEST_F(ProfileCacheTest, APromotedGenerationDropsAllOnce) {
  (void)Ask(cache_, user_);
  ReadGenerations others;
  others[projections::kFollowing] = Generation(2);
  cache_.SetRead(others);
  EXPECT_EQ(Held(user_), "null") << "other projections do not concern it";
  others[projections::kProfiles] = Generation(2);
  cache_.SetRead(others);
  EXPECT_FALSE(cache_.Find(Generation(2), std::span(&user_, 1), Tells::kProfile).front());
}

TEST_F(ProfileCacheTest, OfALaneThatWasRewoundNothingIsHeld) {
  model_.rewound = true;
  EXPECT_TRUE(Ask(cache_, user_).as_tables_are);
  EXPECT_EQ(Held(user_), "nothing");
}

TEST_F(ProfileCacheTest, NothingIsHeldOnceThePlaceIsLost) {
  model_.Append(Told(user_, "a"));
  Follow();
  cache_.Stop();
  EXPECT_EQ(Held(user_), "nothing");
  EXPECT_TRUE(Ask(cache_, user_).as_tables_are);
}

// Everything at once: whatever is told as at the reader's position is the log's, folded to there or
// further.
class AccountsEnd : public ProfileCacheTest {
 protected:
  // What memory knows of it; else what the tables say.
  std::string Told() {
    const auto found = cache_.Find(Generation(1), std::span(&user_, 1), Tells::kAccount);
    if (found.front()) return "held " + std::string(JsonOf(found.front()->erase));
    return std::string(JsonOf(Ask(cache_, user_, Tells::kAccount).rows.front().erase));
  }
  void Delete() {
    model_.Append(Deleted(user_));
    Follow();
  }
  ErasureProgress& Erasing(std::int64_t version) {
    model_.lanes[own_] = model_.End(own_);
    return model_.erasures[{user_, Version(version)}];
  }
};

TEST_F(AccountsEnd, OfOneThatWasNeverDeletedIsNone) {
  EXPECT_EQ(Told(), "null");
  EXPECT_EQ(Told(), "held null");
  model_.Append(reader::Told(user_, "a"));
  Follow();
  EXPECT_EQ(Told(), "held null") << "a profile ends nothing";
}

TEST_F(AccountsEnd, RunsAsSoonAsItsEventIsSeenWhateverTheTablesSay) {
  EXPECT_EQ(Told(), "null");
  Delete();
  EXPECT_EQ(Told(), R"("running")");
  model_.Append(reader::Told(user_, "again"));
  Follow();
  EXPECT_EQ(Told(), R"("running")") << "the account lives, what was before is still going";
}

TEST_F(AccountsEnd, IsAskedOfTheTablesUntilItIsDone) {
  Delete();
  ErasureProgress& progress = Erasing(1);
  for (const EraseStage stage : {EraseStage::kFollowing, EraseStage::kFans, EraseStage::kPosts,
                                 EraseStage::kShown, EraseStage::kAppended}) {
    progress.stage = stage;
    EXPECT_EQ(Told(), R"("running")") << static_cast<int>(stage);
  }
  progress.stage = EraseStage::kDone;
  EXPECT_EQ(Told(), R"("done")");
  EXPECT_EQ(Told(), R"(held "done")");
  Delete();
  EXPECT_EQ(Told(), R"("running")") << "a second one";
}

TEST_F(AccountsEnd, IsDoneWhereTheReaderHasPassedAllThatWasAppended) {
  Delete();
  ErasureProgress& progress = Erasing(1);
  progress.stage = EraseStage::kDone;
  progress.appended[streams::kRelations].assign(kPartitions, Offset(7));
  progress.appended[streams::kPosts].assign(kPartitions, Offset(9));
  relations_.Stand(Offset(6));
  posts_.Stand(Offset(9));
  EXPECT_EQ(Told(), R"("running")");
  relations_.Stand(Offset(7));
  posts_.Stand(Offset(8));
  EXPECT_EQ(Told(), R"("running")");
  posts_.Stand(Offset(9));
  EXPECT_EQ(Told(), R"("done")");
}

TEST_F(AccountsEnd, OfSeveralDeletionsEachHasToBeDone) {
  Delete();
  Delete();
  Erasing(2).stage = EraseStage::kDone;
  Erasing(1).stage = EraseStage::kFans;
  EXPECT_EQ(Told(), R"("running")");
  Erasing(1).stage = EraseStage::kDone;
  EXPECT_EQ(Told(), R"("done")");
}

// Erasures are of no generation: the rows that are asked for may be of a moment before.
TEST_F(AccountsEnd, IsNotToldOfRowsFromBeforeIt) {
  model_.Append(Deleted(user_));
  model_.erasures[{user_, Version(1)}].stage = EraseStage::kDone;
  EXPECT_EQ(Told(), "null");
  model_.lanes[own_] = model_.End(own_);
  EXPECT_EQ(JsonOf(Ask(cache_, user_, Tells::kAccount).rows.front().erase), R"("done")");
}

// Its lists may be of a moment before what was appended.
TEST_F(AccountsEnd, OfAnotherGenerationIsNeverToldAsDone) {
  Delete();
  Erasing(1).stage = EraseStage::kDone;
  const Shard shard = kPlacement.ShardOf(user_);
  const auto ticket = cache_.NewTicket(shard, Generation(2));
  const auto brought = cache_.Install(ticket, std::span(&user_, 1),
                                      model_.Read(shard, std::span(&user_, 1)), Tells::kAccount);
  EXPECT_EQ(JsonOf(brought.rows.front().erase), R"("running")");
}

// Room for one user: the other's last event is forgotten.
TEST_F(AccountsEnd, IsNotHeldFromTablesBelowTheFloor) {
  ProfileCache small(kShards, ProfileCache::kUserBytes + 128, readers_, metrics_);
  Start(small);
  UserId other(user_.value + 1);
  while (kPlacement.PartitionOf(other) != own_) ++other.value;
  model_.Append(Deleted(user_));
  model_.Append(reader::Told(other, std::string(90, 'o')));
  model_.Append(reader::Told(user_, "again"));
  Follow(small, own_, model_.End(own_));
  const auto brought = Ask(small, user_, Tells::kAccount);
  EXPECT_TRUE(brought.as_tables_are) << "the tables have not seen the deletion, nor is it held";
  EXPECT_FALSE(small.Find(Generation(1), std::span(&user_, 1), Tells::kAccount).front());
}

class RandomProfileCache : public ProfileCacheTest,
                           public ::testing::WithParamInterface<std::uint64_t> {
 protected:
  UserId Anybody() { return UserId(1 + random_.Below(kUsers)); }
  Partition AnyPartition() {
    return Partition(static_cast<std::int32_t>(random_.Below(kPartitions)));
  }

  void Check(UserId user, const HeldProfile& told, const std::string& how) {
    if (tainted_.contains(user)) return;
    const Partition partition = kPlacement.PartitionOf(user);
    bool is_right = false;
    for (Offset at = live_.Next(partition).value(); at <= model_.End(partition); at = Next(at)) {
      const HeldProfile row = HeldProfile::Of(model_.RowAt(user, at));
      is_right = is_right || (row.json == told.json && row.deleted == told.deleted);
    }
    ASSERT_TRUE(is_right) << how << ": user " << user.value << ", " << told.json;
  }
  void Look(UserId user) {
    const auto found = live_.Find(Generation(1), std::span(&user, 1), Tells::kProfile);
    if (found.front()) Check(user, *found.front(), "held");
  }

  // A question, and what happens while it is under way.
  void AskSlowly() {
    std::vector<UserId> users = {Anybody()};
    const Shard shard = kPlacement.ShardOf(users.front());
    const auto ticket = live_.NewTicket(shard, Generation(1));
    const ProfileView view = model_.Read(shard, users);
    const bool was_tainted = tainted_.contains(users.front());
    for (std::uint64_t i = random_.Below(4); i > 0; --i) Act();
    if (!live_.running()) return;
    const auto brought = live_.Install(ticket, users, view, Tells::kProfile);
    if (!brought.as_tables_are) Check(users.front(), brought.rows.front(), "brought");
    // A wrong row that was read before its repair must not be held after it.
    if (was_tainted && !tainted_.contains(users.front())) Look(users.front());
  }
  void Restore() {
    const Shard shard(static_cast<std::int32_t>(random_.Below(kShards)));
    for (auto& [partition, at] : model_.lanes) {
      if (kPlacement.ShardOf(partition) != shard) continue;
      at = Offset(
          static_cast<std::int64_t>(random_.Below(static_cast<std::uint64_t>(at.value) + 1)));
    }
    model_.marks[shard] = 0;
    live_.Restored(shard);
  }
  void Mend() {
    if (tainted_.empty()) return;
    const UserId user = *tainted_.begin();
    const Shard shard = kPlacement.ShardOf(user);
    tainted_.erase(user);
    model_.wrong.erase(user);
    RepairRow repair{.mark = ++model_.marks[shard],
                     .projection = projections::kProfiles,
                     .generation = Generation(1),
                     .user = user};
    live_.Repaired(shard, repair);
  }

  void Act() {
    const Partition partition = AnyPartition();
    const std::uint64_t what = random_.Below(100);
    if (what < 30) return model_.Append(Told(Anybody(), std::to_string(++told_)));
    if (what < 32) return model_.Append(Deleted(Anybody()));
    if (what < 34) return model_.Append(Ended(Anybody()));
    if (what < 36) return model_.Append(Restored(Anybody()));
    if (what < 60)
      return Follow(live_, partition, Toward(live_.Next(partition).value(), partition));
    if (what < 85)
      return void(model_.lanes[partition] = Toward(model_.lanes[partition], partition));
    if (what < 87) return Restore();
    if (what < 89) return Mend();
    if (what < 91) {
      const UserId user = Anybody();
      model_.wrong.insert(user);
      tainted_.insert(user);
    }
    if (what < 93) live_.DropShard(Shard(static_cast<std::int32_t>(random_.Below(kShards))));
    if (what < 94) BeginAnew();
    Look(Anybody());
  }
  void BeginAnew() {
    std::vector<Offset> next;
    for (std::int32_t p = 0; p < kPartitions; ++p) next.push_back(model_.lanes[Partition(p)]);
    live_.Stop();
    live_.Start(kPlacement, next);
  }
  Offset Toward(Offset from, Partition partition) {
    const std::int64_t left = model_.End(partition).value - from.value;
    return Offset(from.value +
                  static_cast<std::int64_t>(random_.Below(static_cast<std::uint64_t>(left) + 1)));
  }

  SplitMix64 random_{GetParam()};
  int told_ = 0;
  std::set<UserId> tainted_;
  ProfileCache live_{kShards, 5 * (ProfileCache::kUserBytes + 80), readers_, metrics_};
};

// A row that was held with a wrong version, far above the log's end, is mended.
TEST_F(ProfileCacheTest, AMendedVersionLeavesTheOthersHeld) {
  UserId other(2);
  while (kPlacement.PartitionOf(other) != own_) other = UserId(other.value + 1);
  model_.Append(Told(other, "o"));
  Follow();
  model_.lanes[own_] = model_.End(own_);
  const Shard shard = kPlacement.ShardOf(user_);
  ProfileView view = model_.Read(shard, std::span(&user_, 1));
  view.rows[0] = ProfileRow{Profile{.name = "x"}, false, Version(1'000'000)};
  (void)cache_.Install(cache_.NewTicket(shard, Generation(1)), std::span(&user_, 1), view,
                       Tells::kProfile);
  EXPECT_EQ(Held(user_), Named("x"));
  model_.marks[shard] = 1;
  RepairRow repair;
  repair.mark = 1;
  repair.projection = projections::kProfiles;
  repair.user = user_;
  cache_.Repaired(shard, repair);
  model_.Append(Told(other, "p"));
  Follow();
  model_.lanes[own_] = model_.End(own_);
  EXPECT_FALSE(Ask(cache_, user_).as_tables_are) << "tables and reader are at the log's end";
}

TEST_P(RandomProfileCache, TellsWhatTheLogSays) {
  Start(live_);
  for (int i = 0; i < 3'000 && !HasFatalFailure(); ++i) {
    random_.Below(4) == 0 ? AskSlowly() : Act();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProfileCache,
                         ::testing::Range(std::uint64_t{1}, std::uint64_t{17}));

}  // namespace
}  // namespace fanfold::reader
