#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reader/cache/live_lists.h"
#include "reader/profiles/profile_feed.h"
#include "reader/reader_service.h"
#include "tests/support/memory_log.h"
#include "tests/support/memory_reader.h"
#include "tests/support/wait_until.h"
#include "tests/unit/reader/get_from.h"

namespace fanfold::reader {
namespace {

using testing::MemoryReader;
using testing::WaitUntil;

// What a projector would have folded; shared by all connections.
struct ProfileTables {
  std::mutex mutex;
  std::map<UserId, ProfileRow> rows;
  std::map<Partition, Offset> lanes;
  int questions = 0;
};

class FakeProfiles final : public ProfileReader {
 public:
  FakeProfiles(ProfileTables& tables, const Placement& placement, Shard shard)
      : tables_(tables), placement_(placement), shard_(shard) {}

  Result<ProfileView> Read(Generation /*generation*/, std::span<const UserId> users) override {
    const std::scoped_lock lock(tables_.mutex);
    ++tables_.questions;
    ProfileView view;
    for (const UserId user : users) view.rows.push_back(tables_.rows[user]);
    for (const auto& [partition, at] : tables_.lanes) {
      if (placement_.ShardOf(partition) == shard_) view.lanes.push_back({partition, at});
    }
    return view;
  }

  Result<std::vector<Erasure>> OpenErasures(const std::optional<ErasureKey>&,
                                            std::size_t) override {
    return std::vector<Erasure>();
  }

 private:
  ProfileTables& tables_;
  const Placement placement_;
  const Shard shard_;
};

class TablesWithProfiles final : public MemoryReader {
 public:
  TablesWithProfiles(const testing::MemoryTables& tables, ProfileTables& profiles,
                     const Placement& placement, Shard shard)
      : MemoryReader(tables, placement, shard),
        profiles_(profiles),
        placement_(placement),
        shard_(shard) {}

  std::unique_ptr<RowReader> OpenRows(Projection /*projection*/) override {
    return std::make_unique<FakeProfiles>(profiles_, placement_, shard_);
  }

 private:
  ProfileTables& profiles_;
  const Placement placement_;
  const Shard shard_;
};

// The reader whole, on a log and tables in memory. Nothing is put there while one serves.
class ProfileReads : public ::testing::Test {
 protected:
  void Serve(std::size_t tenant_bytes = std::size_t{1} << 20) {
    service_.reset();
    for (std::int32_t p = 0; p < placement_.partitions(); ++p) {
      const Partition partition(p);
      auto& home = TablesOf(placement_.ShardOf(partition));
      home.lanes[{projections::kFollowing, Generation(1), partition}];
      home.lanes[{projections::kProfiles, Generation(1), partition}].progress.event_offset =
          profiles_.lanes[partition];
      home.lanes[{projections::kProfiles, Generation(1), partition}].progress.next_offset =
          profiles_.lanes[partition];
      for (auto& shard : tables_) shard.lanes[{projections::kFans, Generation(1), partition}];
    }
    router_ = std::make_unique<http::Router>();
    service_ = std::make_unique<ReaderService>(
        log_,
        [this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
          return std::make_unique<TablesWithProfiles>(TablesOf(shard), profiles_, placement_,
                                                      shard);
        },
        placement_.shape(), ReaderLimits{.threads = 1, .cache = {}, .tenant_bytes = tenant_bytes},
        metrics_, clock_);
    service_->AddRoutes(*router_);
    ASSERT_TRUE(WaitUntil([&] { return service_->Ready().has_value(); }));
  }

  // The position, as a writer answers.
  std::string Append(const ProfileEvent& event) {
    const Partition partition = placement_.PartitionOf(event.user);
    log_.Put(topics::kUserEvents, partition, ToString(event.user), EncodeProfileEvent(event));
    return fmt::format("user-events/{}:{}", partition.value, appended_[partition]++);
  }
  std::string Tell(UserId user, const std::string& name) {
    return Append(
        {.event_id = "", .user = user, .at_ms = 1, .what = ProfileSet{Profile{.name = name}}});
  }
  // What the tables hold of a user, as if folded up to `at`.
  void Fold(UserId user, const std::string& name, std::int64_t at) {
    profiles_.rows[user] = {
        .profile = Profile{.name = name}, .deleted = false, .version = Version(at)};
    profiles_.lanes[placement_.PartitionOf(user)] = Offset(at);
  }

  http::Response Get(const std::string& path, const std::string& query = "") {
    return testing::GetFrom(*router_, path, query);
  }
  testing::MemoryTables& TablesOf(Shard shard) {
    return tables_.at(static_cast<std::size_t>(shard.value));
  }
  int Questions() {
    const std::scoped_lock lock(profiles_.mutex);
    return profiles_.questions;
  }
  static std::string Json(const std::string& name) {
    return fmt::format(R"({{"name":"{}","avatar_url":null,"bio":null,"verified":false}})", name);
  }
  static std::string Account(UserId user, const std::string& profile, bool deleted = false,
                             const std::string& erase = "null") {
    return fmt::format(R"({{"user_id":"{}","profile":{},"deleted":{},"erase":{},)"
                       R"("following":0,"fans":0,"friends":0}})",
                       user.value, profile, deleted, erase);
  }

  const SystemClock clock_;
  Metrics metrics_;
  const Placement placement_ = Placement::Modulo({4, 2});
  const UserId user_{7};
  testing::MemoryLog log_{4};
  std::vector<testing::MemoryTables> tables_{2};
  ProfileTables profiles_;
  std::map<Partition, int> appended_;
  std::unique_ptr<http::Router> router_;
  std::unique_ptr<ReaderService> service_;
};

TEST_F(ProfileReads, WhereNothingWasFoldedYetTheProfileIsNull) {
  Serve();
  EXPECT_EQ(Get("/v1/users/7").body, Account(user_, "null"));
}

TEST_F(ProfileReads, AnAnswerHoldsThePositionThatItIsAskedFor) {
  const auto ask = [&](const std::string& position) {
    Serve();
    return Get("/v1/users/7", "min_position=" + position).body;
  };
  EXPECT_EQ(ask(Tell(user_, "a")), Account(user_, Json("a")));
  EXPECT_EQ(ask(Append({.event_id = "", .user = user_, .at_ms = 2, .what = UserDeleted{}})),
            Account(user_, "null", true, R"("running")"));
  EXPECT_EQ(ask(Tell(user_, "b")), Account(user_, Json("b"), false, R"("running")"));
  EXPECT_EQ(Questions(), 3) << "events say all but how the account's end stands";
}

TEST_F(ProfileReads, APositionThatIsNotReachedIsRefusedByName) {
  Serve();
  const std::string asked = fmt::format("user-events/{}:4", placement_.PartitionOf(user_).value);
  const http::Response refused = Get("/v1/users/7", "timeout_ms=0&min_position=" + asked);
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find(asked + " was asked for, the events below"), std::string::npos)
      << refused.body;
}

// Reads wait for streams that they do not read, so that a writer finds its write wherever it asks.
TEST_F(ProfileReads, AReadOfRelationsTakesAPositionOfUserEvents) {
  const std::string told = Tell(user_, "a");
  Serve();
  EXPECT_EQ(Get("/v1/users/8/counts", "min_position=" + told).status, 200);
  const std::string ahead = fmt::format("user-events/{}:9", placement_.PartitionOf(user_).value);
  EXPECT_EQ(Get("/v1/users/8/counts", "timeout_ms=0&min_position=" + ahead).status, 409);
}

TEST_F(ProfileReads, WithoutMemoryTheTablesHaveToHaveReachedIt) {
  Fold(user_, "a", 1);
  (void)Tell(user_, "a");
  (void)Tell(user_, "b");
  Serve(/*tenant_bytes=*/0);
  const std::string at =
      fmt::format("timeout_ms=0&min_position=user-events/{}:", placement_.PartitionOf(user_).value);
  EXPECT_EQ(Get("/v1/users/7", at + "0").body, Account(user_, Json("a")));
  EXPECT_EQ(Get("/v1/users/7", at + "1").status, 409);
  EXPECT_EQ(Get("/v1/users/8/counts", at + "0").status, 200);
  EXPECT_EQ(Get("/v1/users/8/counts", at + "1").status, 409) << "whatever it reads";
}

TEST_F(ProfileReads, APageAsksEachShardOnce) {
  std::string ids;
  std::string items;
  for (std::uint64_t id = 1; id <= 100; ++id) {
    Fold(UserId(id), std::to_string(id), 0);
    profiles_.rows[UserId(id)].version = Version(1);
    profiles_.lanes[placement_.PartitionOf(UserId(id))] = Offset(0);
    ids += (ids.empty() ? "" : ",") + std::to_string(id);
    items += (items.empty() ? "" : ",") + Account(UserId(id), Json(std::to_string(id)));
  }
  Serve();
  EXPECT_EQ(Get("/v1/users", "ids=" + ids).body, R"({"items":[)" + items + "]}");
  EXPECT_EQ(Questions(), 2);
  EXPECT_EQ(Get("/v1/users", "ids=" + ids).status, 200);
  EXPECT_EQ(Questions(), 2) << "they are held";
  EXPECT_EQ(Get("/v1/users", "ids=" + ids + ",1").status, 400);
}

TEST_F(ProfileReads, AUserWhoIsNamedTwiceStandsThereTwice) {
  Fold(user_, "a", 0);
  Serve();
  const std::string account = Account(user_, Json("a"));
  EXPECT_EQ(Get("/v1/users", "ids=7,7").body, R"({"items":[)" + account + "," + account + "]}");
}

TEST_F(ProfileReads, ListsTakeNoOtherExpansion) {
  Serve();
  EXPECT_EQ(Get("/v1/users/7/fans", "expand=profile").body, R"({"items":[],"next_cursor":null})");
  const http::Response refused = Get("/v1/users/7/fans", "expand=posts");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("expand takes profile"), std::string::npos) << refused.body;
}

TEST_F(ProfileReads, ReportsItsOwnStreamsEnds) {
  (void)Tell(user_, "a");
  (void)Tell(user_, "b");
  Fold(user_, "a", 1);
  Serve();
  ASSERT_TRUE(WaitUntil([&] {
    const std::string body = Get("/v1/projections").body;
    const std::size_t at = body.find(R"("projection":"profiles")");
    return at != std::string::npos &&
           body.find(R"("lag_events":1)", at) < body.find(R"("lanes")", at);
  })) << Get("/v1/projections").body;
  const std::string body = Get("/v1/projections").body;
  EXPECT_GT(body.find(R"("lag_events":1)"), body.find(R"("projection":"profiles")"))
      << "the relations lack nothing";
}

class ProfileFeedTest : public ::testing::Test {
 protected:
  LogRecord RecordAt(std::int64_t offset) {
    return {.partition = own_, .offset = Offset(offset), .key = "7", .value = value_};
  }
  Status Take(std::vector<std::int64_t> offsets) {
    std::vector<LogRecord> records;
    for (const std::int64_t offset : offsets) records.push_back(RecordAt(offset));
    return feed_.Take(records);
  }

  const Placement placement_ = Placement::Modulo({4, 1});
  const UserId user_{7};
  const Partition own_ = placement_.PartitionOf(user_);
  std::string value_ =
      EncodeProfileEvent({.event_id = "", .user = user_, .at_ms = 1, .what = ProfileSet{}});
  Metrics metrics_;
  LiveLists live_{1, {}, metrics_};  // follows nothing
  ProfileCache cache_{1, 1 << 20, FollowsRelations(live_), metrics_};
  ProfileFeed feed_{cache_};
};

TEST_F(ProfileFeedTest, ARepeatIsDroppedAndAGapLosesThePlace) {
  feed_.Start(placement_, std::vector<Offset>(4, Offset(3)));
  ASSERT_TRUE(Take({3, 4}));
  EXPECT_EQ(cache_.Next(own_), Offset(5));
  ASSERT_TRUE(Take({4, 5}));
  EXPECT_EQ(cache_.Next(own_), Offset(6));
  const Status gap = Take({7});
  ASSERT_FALSE(gap);
  EXPECT_EQ(gap.error().code, ErrorCode::kOutOfRange);
}

TEST_F(ProfileFeedTest, WhatItsLaneParksIsPassedOver) {
  feed_.Start(placement_, std::vector<Offset>(4, Offset(0)));
  value_ = "no JSON";
  ASSERT_TRUE(Take({0}));
  EXPECT_TRUE(cache_.Passed({own_, Offset(0)}));
  EXPECT_FALSE(cache_.Find(Generation(1), std::span(&user_, 1), Tells::kProfile).front());
}

}  // namespace
}  // namespace fanfold::reader
