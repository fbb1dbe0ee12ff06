#include "reader/expansion.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reader/answers.h"
#include "reader/query_parser.h"
#include "reader/routes.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/reader/cache/world.h"
#include "tests/unit/reader/get_from.h"

namespace fanfold::reader {
namespace {

using testing::World;

// Stands where it is put.
class StandsAt final : public ReaderPosition {
 public:
  void Stand(Offset next) {
    const StretchEnds ends(*this);
    StandAt(std::vector<Offset>(World::kPartitions, next));
  }
};

// Every user carries their id twice, out of memory where it may be.
class Doubles final : public Expansion, public TopicFeed, public TableWatcher, public Tenant {
 public:
  Projection projection() const override { return projections::kFollowing; }
  const ReaderPosition& position() const override { return position_; }
  Result<ExpandedUsers> Of(std::span<const UserId> users, const Deployment& /*deployment*/,
                           const ExpandFrom& from) const override {
    on_asked();
    if (!from.memory || !is_held) asked_tables += from.tables == nullptr ? 0 : 1;
    if (!is_held && from.tables == nullptr) return Fail(ErrorCode::kUnavailable, "not held");
    ExpandedUsers expanded{.members = {}, .as_tables_are = !is_held};
    for (const UserId user : users) {
      expanded.members.push_back(fmt::format(R"("twice":{})", 2 * user.value));
    }
    return expanded;
  }

  std::string_view what() const override { return "doubles"; }
  Projection begins_with() const override { return projections::kFollowing; }
  void Start(const Placement& /*placement*/, const std::vector<Offset>& /*next*/) override {}
  Status Take(std::span<const LogRecord> /*records*/) override { return {}; }
  void Trim(Partition /*partition*/, Offset /*below*/) override {}
  void Stop() override {}
  void SetRead(const ReadGenerations& /*read*/) override {}
  void DropShard(Shard /*shard*/) override {}
  void Restored(Shard /*shard*/) override {}
  void Repaired(Shard /*shard*/, const RepairRow& /*repair*/) override {}

  TopicFeed* feed() override { return this; }
  TableWatcher* watcher() override { return this; }
  Expansions expansions() const override { return {{"double", this}}; }
  std::vector<TenantRoute> routes() const override {
    return {{"/v1/users/{id}/double", [this](const http::Routed& routed, const Expansions&) {
               ParsedRead parsed = ParseCounts(routed);
               if (parsed) parsed->expansion = this;
               return parsed;
             }}};
  }

  bool is_held = true;
  mutable int asked_tables = 0;
  std::function<void()> on_asked = [] {};
  StandsAt position_;
};

// Whom the lists need is in memory.
class ExpansionTest : public ::testing::Test {
 protected:
  ExpansionTest() {
    world_.Decide(UserId(10), UserId(20), true, 1);
    world_.Decide(UserId(10), UserId(30), true, 2);
    world_.Decide(UserId(20), UserId(10), true, 3);
    world_.Decide(UserId(30), UserId(20), true, 4);
    board_.SetDeployment(Deployment{Placement::Modulo({World::kPartitions, World::kShards}), {}});
    for (std::int32_t p = 0; p < World::kPartitions; ++p) {
      const std::int64_t end = world_.End(Partition(p));
      world_.MoveReader(Partition(p), end);
      board_.ObserveEnd(streams::kRelations, Partition(p), Offset(end));
    }
    board_.EndsRoundOver(streams::kRelations, true);
    for (std::int32_t s = 0; s < World::kShards; ++s) {
      board_.SetLanes(Shard(s), world_.On(Shard(s)).value()->Lanes().value());
    }
    tenants_.push_back(std::make_unique<Doubles>());
    doubles_ = static_cast<Doubles*>(tenants_.front().get());
    doubles_->position_.Stand(Offset(9));
    AddReaderRoutes(router_, executor_, world_.metrics, tenants_);
  }

  http::Response Get(const std::string& path, const std::string& query) {
    return testing::GetFrom(router_, path, query);
  }

  ReaderFactory Factory() {
    return [this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
      return std::make_unique<testing::MemoryReader>(world_.TablesOf(shard),
                                                     world_.deployment().placement);
    };
  }

  World world_;
  testing::ManualClock clock_;
  std::vector<std::unique_ptr<Tenant>> tenants_;
  Doubles* doubles_ = nullptr;
  http::Router router_;
  PositionBoard board_{clock_, {World::kPartitions, World::kShards}};
  PositionGate gate_{board_, FollowsRelations(world_.live)};
  ReadExecutor executor_{board_, world_.live, gate_, waits_, pool_, clock_, world_.metrics};
  PositionWaits waits_{gate_, clock_};
  QueryPool pool_{Factory(), 1, world_.metrics.GetGauge("fanfold_reader_queue", "")};
};

struct ListCase {
  std::string name;
  std::string path;
  std::string query;
  std::string body;
};

void PrintTo(const ListCase& list, std::ostream* out) { *out << list.path; }

class ExpandedList : public ExpansionTest, public ::testing::WithParamInterface<ListCase> {};

TEST_P(ExpandedList, EachUserCarriesIt) {
  const std::string query = GetParam().query + "&expand=double";
  EXPECT_EQ(Get(GetParam().path, query).body, GetParam().body);
  EXPECT_EQ(Get(GetParam().path, GetParam().query + "&expand=triple").status, 400);
}

INSTANTIATE_TEST_SUITE_P(
    Lists, ExpandedList,
    ::testing::Values(
        ListCase{"Following", "/v1/users/10/following", "viewer=30",
                 R"({"items":[{"user_id":"30","twice":60,"since":2,"relation":"self"},)"
                 R"({"user_id":"20","twice":40,"since":1,"relation":"following"}],)"
                 R"("next_cursor":null})"},
        ListCase{"Fans", "/v1/users/10/fans", "limit=9",
                 R"({"items":[{"user_id":"20","twice":40,"since":3}],"next_cursor":null})"},
        ListCase{"Friends", "/v1/users/10/friends", "limit=9",
                 R"({"items":[{"user_id":"20","twice":40,"since":3}],"next_cursor":null})"},
        ListCase{"Common", "/v1/users/10/following/common", "with=30",
                 R"({"items":[{"user_id":"20","twice":40,"since":1}],"next_cursor":null})"},
        ListCase{"Known", "/v1/users/20/fans/known", "viewer=10",
                 R"({"items":[{"user_id":"30","twice":60,"since":4,"relation":"following"}],)"
                 R"("next_cursor":null})"},
        ListCase{"Suggestions", "/v1/users/20/suggestions", "limit=1",
                 R"({"items":[{"user_id":"30","twice":60,"score":1,"via":["10"]}]})"}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(ExpansionTest, ATenantHasRoutesOfItsOwn) {
  EXPECT_EQ(Get("/v1/users/10/double", "").body,
            R"({"user_id":"10","twice":20,"following":2,"fans":1,"friends":1})");
}

TEST_F(ExpansionTest, TakesNothingWhereThereIsNoTenant) {
  http::Request request;
  request.query = "expand=double";
  const auto query = http::Query::Parse(request.query);
  ASSERT_TRUE(query.has_value());
  const ParsedRead parsed = ParseList(ListKind::kFans, http::Routed{request, {"10"}, *query});
  ASSERT_FALSE(parsed.has_value());
  EXPECT_NE(parsed.error().body.find("expand takes nothing here"), std::string::npos);
}

TEST_F(ExpansionTest, WhatMemoryDoesNotHoldIsAskedOfTheTables) {
  ASSERT_EQ(Get("/v1/users/10/double", "").status, 200);
  EXPECT_EQ(doubles_->asked_tables, 0);
  doubles_->is_held = false;
  EXPECT_EQ(Get("/v1/users/10/double", "").status, 200);
  EXPECT_EQ(doubles_->asked_tables, 1);
}

// The tables stand at 0, the reader at the end.
TEST_F(ExpansionTest, AsTheTablesAreItIsRefusedUntilTheTablesHavePassedThePosition) {
  const Partition own = world_.deployment().placement.PartitionOf(UserId(10));
  const std::string at = fmt::format("min_position={}:1&timeout_ms=0", own.value);
  const std::jthread rechecker([this](const std::stop_token& stop) { waits_.Run(stop); });
  EXPECT_EQ(Get("/v1/users/10/double", at).status, 200);
  doubles_->is_held = false;
  EXPECT_EQ(Get("/v1/users/10/double", at).status, 409);
}

TEST_F(ExpansionTest, IsReadAnewWhereItsPositionWasGivenUpMeanwhile) {
  int asked = 0;
  doubles_->on_asked = [&] {
    if (++asked <= 2) doubles_->position_.Stand(Offset(1));
  };
  EXPECT_EQ(Get("/v1/users/10/double", "").status, 200);
  EXPECT_EQ(asked, 3) << "from memory, on a worker, and once more";
}

}  // namespace
}  // namespace fanfold::reader
