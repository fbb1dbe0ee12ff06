// From a request to the log, through the route.
#include "writer/feed/shown_routes.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/memory_log.h"
#include "tests/unit/writer/fakes.h"

namespace fanfold::writer {
namespace {

using Json = nlohmann::json;
using testing::MemoryLog;

constexpr const char* kShownOfSeven = "/v1/users/7/feed/shown";

class ShownRoutesTest : public ::testing::Test {
 protected:
  ShownRoutesTest() { AddShownRoutes(router_, service_, metrics_); }

  void Connect() { service_.Connect(*log_.NewAppender(topics::kFeedEvents, {})); }

  // Its answer comes now, or with the log's.
  std::shared_ptr<std::optional<http::Response>> Begin(const std::string& target,
                                                       const std::string& body) {
    const std::size_t mark = std::min(target.find('?'), target.size());
    http::Request request;
    request.method = http::Method::kPost;
    request.path = std::string_view(target).substr(0, mark);
    request.query = std::string_view(target).substr(std::min(mark + 1, target.size()));
    request.body = body;
    auto answered = std::make_shared<std::optional<http::Response>>();
    router_(request, http::Reply([answered](http::Response response) {
              EXPECT_FALSE(answered->has_value()) << "answered twice";
              *answered = std::move(response);
            }));
    return answered;
  }
  http::Response Tell(const std::string& body, const std::string& target = kShownOfSeven) {
    const auto answered = Begin(target, body);
    if (*answered) return **answered;
    ADD_FAILURE() << "no answer to " << body;
    return {};
  }

  // Read as whoever folds them reads them.
  std::vector<FeedEvent> Logged() {
    std::vector<FeedEvent> events;
    for (const testing::MemoryRecord& record : log_.Records(topics::kFeedEvents, home_)) {
      auto event = ReadFeedRecord(record.key, record.value, home_, kPartitions);
      EXPECT_TRUE(event.has_value()) << *record.value;
      if (event) events.push_back(*std::move(event));
    }
    return events;
  }
  static std::string Items(std::size_t count) {
    std::string items;
    for (std::size_t i = 1; i <= count; ++i) {
      items += fmt::format(R"({}{{"author":"{}","post_id":"{}"}})", i > 1 ? "," : "", i, i);
    }
    return R"({"items":[)" + items + "]}";
  }

  static constexpr std::int32_t kPartitions = 4;
  const Partition home_ = PartitionOf(UserId(7), kPartitions);
  FakeClock clock_;
  MemoryLog log_{kPartitions};
  Metrics metrics_;
  ShownService service_{kPartitions, clock_, 1, 2};
  http::Router router_;
};

TEST_F(ShownRoutesTest, EachIsAnEventAndTheLookIsTheLastAndTold) {
  Connect();
  const http::Response response =
      Tell(R"({"items":[{"author":"5","post_id":"50"},{"post_id":51,"author":5},)"
           R"({"author":"5","post_id":"50"}]})");
  const std::vector<FeedEvent> logged = Logged();
  ASSERT_EQ(logged.size(), 4U);
  std::set<std::string> events;
  std::set<ShownId> times;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(logged[i].type, FeedEventType::kShown);
    EXPECT_EQ(logged[i].author, UserId(5));
    EXPECT_EQ(logged[i].post_id, PostId(i == 1 ? 51 : 50)) << i;
    EXPECT_EQ(logged[i].at_ms, clock_.now_ms);
    events.insert(logged[i].event_id);
    times.insert(logged[i].shown_id);
  }
  EXPECT_EQ(events.size(), 3U);
  EXPECT_EQ(times.size(), 3U);
  EXPECT_FALSE(times.contains(ShownId(0)));
  EXPECT_EQ(logged[3].type, FeedEventType::kActive);
  EXPECT_EQ(logged[3].shown_id, ShownId(0));
  EXPECT_EQ(response.status, 202);
  const std::string position = fmt::format("feed-events/{}:3", home_.value);
  EXPECT_EQ(response.body,
            fmt::format(R"({{"event_id":"{}","position":"{}"}})", logged[3].event_id, position));
  EXPECT_NE(std::ranges::find(response.headers, http::Header("Fanfold-Position", position)),
            response.headers.end());
}

TEST_F(ShownRoutesTest, NothingShownIsALook) {
  Connect();
  EXPECT_EQ(Tell(R"({"items":[]})").status, 202);
  ASSERT_EQ(Logged().size(), 1U);
  EXPECT_EQ(Logged()[0].type, FeedEventType::kActive);
}

TEST_F(ShownRoutesTest, ItIsAnsweredWhenTheLogHasAllOfIt) {
  Connect();
  log_.HoldAppends(true);
  const auto answered = Begin(kShownOfSeven, Items(2));
  log_.Deliver(2);
  EXPECT_FALSE(*answered);
  log_.Deliver();
  ASSERT_TRUE(*answered);
  EXPECT_EQ((*answered)->status, 202);
}

// Not known to be in the log, be it the first or the last.
TEST_F(ShownRoutesTest, OneThatIsNotInTheLogRefusesAll) {
  EXPECT_EQ(Tell(Items(1)).status, 503) << "not reached since the start";
  Connect();
  log_.RefuseAppends(1);
  const http::Response first = Tell(Items(2));
  EXPECT_EQ(first.status, 503);
  EXPECT_EQ(Json::parse(first.body).at("code"), "log_unavailable");
  log_.HoldAppends(true);
  const auto last = Begin(kShownOfSeven, Items(2));
  log_.Deliver(2);
  log_.FailHeld();
  ASSERT_TRUE(*last);
  EXPECT_EQ((*last)->status, 503);
}

// So that the same again keeps the order.
TEST_F(ShownRoutesTest, BehindOneThatIsRefusedNothingIsAppended) {
  Connect();
  log_.RefuseAppends(1);
  EXPECT_EQ(Tell(Items(3)).status, 503);
  EXPECT_TRUE(Logged().empty());
}

TEST_F(ShownRoutesTest, AsManyAsMayBeAreTaken) {
  Connect();
  EXPECT_EQ(Tell(Items(kShownItemsMax)).status, 202);
  EXPECT_EQ(Logged().size(), kShownItemsMax + 1);
  const http::Response refused = Tell(Items(kShownItemsMax + 1));
  EXPECT_EQ(refused.status, 422);
  EXPECT_EQ(Json::parse(refused.body).at("code"), "batch_too_large");
  EXPECT_EQ(Logged().size(), kShownItemsMax + 1);
}

struct RefusedCase {
  std::string name;
  std::string body;
  std::string detail;
  std::string target = kShownOfSeven;
};
void PrintTo(const RefusedCase& refused, std::ostream* out) { *out << refused.name; }

class RefusedShown : public ShownRoutesTest, public ::testing::WithParamInterface<RefusedCase> {};

TEST_P(RefusedShown, InWordsAndNothingIsLogged) {
  Connect();
  const http::Response refused = Tell(GetParam().body, GetParam().target);
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find(GetParam().detail), std::string::npos) << refused.body;
  EXPECT_TRUE(Logged().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Shown, RefusedShown,
    ::testing::Values(
        RefusedCase{"NoJson", "{", "not JSON"}, RefusedCase{"NoObject", "[]", "an object"},
        RefusedCase{"NoItems", "{}", "items is missing"},
        RefusedCase{"Beside", R"({"items":[],"at":1})", "beside items"},
        RefusedCase{"NoList", R"({"items":{}})", "must be a list"},
        RefusedCase{"NoItem", R"({"items":[1]})", "items[0]: not an object"},
        RefusedCase{"NoAuthor", R"({"items":[{"post_id":"1"}]})", "items[0]: author is missing"},
        RefusedCase{"NoPost", R"({"items":[{"author":"1","post_id":"1"},{"author":"1"}]})",
                    "items[1]: post_id is missing"},
        RefusedCase{"Zero", R"({"items":[{"author":"0","post_id":"1"}]})",
                    "author is no id: an id is a decimal number from 1 to 2^63−1"},
        RefusedCase{"TooGreat", R"({"items":[{"author":"1","post_id":9223372036854775808}]})",
                    "post_id is no id"},
        RefusedCase{"Unknown", R"({"items":[{"author":"1","post_id":"1","at":5}]})",
                    "unknown member"},
        RefusedCase{"Owner", R"({"items":[]})", "id", "/v1/users/0/feed/shown"},
        RefusedCase{"Parameter", R"({"items":[]})", "unknown_parameter",
                    "/v1/users/7/feed/shown?wait=decided"}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace fanfold::writer
