#include "reader/answers.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace fanfold::reader {
namespace {

using Ordered = nlohmann::ordered_json;

const std::vector<ListedUser> kListed = {{UserId(30), 1655884250592}, {UserId(kUserIdMax), 0}};

Ordered ListAsJson(const ListAnswer& answer) {
  Ordered json = {{"items", Ordered::array()}};
  for (std::size_t i = 0; i < answer.items.size(); ++i) {
    Ordered item = {{"user_id", ToString(answer.items[i].user)},
                    {"since", answer.items[i].since_ms}};
    if (!answer.relations.empty()) item["relation"] = ToString(answer.relations[i]);
    json["items"].push_back(item);
  }
  json["next_cursor"] = answer.next ? Ordered(EncodeCursor(*answer.next)) : Ordered(nullptr);
  return json;
}

TEST(ResponseJson, ListsEqualNlohmanns) {
  const ListAnswer answers[] = {
      {{}, {}, {}},
      {kListed, {}, {}},
      {kListed, {}, kListed.back()},
      {kListed, {Relation::kFriend, Relation::kSelf}, kListed.back()},
  };
  for (const ListAnswer& answer : answers) EXPECT_EQ(ToJson(answer), ListAsJson(answer).dump());
}

TEST(ResponseJson, ListReadsAsTheContractShowsIt) {
  const ListAnswer answer{{{UserId(30), 1655884250592}}, {Relation::kFriend}, {}};
  EXPECT_EQ(ToJson(answer),
            R"({"items":[{"user_id":"30","since":1655884250592,"relation":"friend"}],)"
            R"("next_cursor":null})");
}

TEST(ResponseJson, NdjsonIsALineForEach) {
  std::string expected;
  for (const ListedUser& listed : kListed) {
    expected +=
        Ordered{{"user_id", ToString(listed.user)}, {"since", listed.since_ms}}.dump() + "\n";
  }
  EXPECT_EQ(ToNdjson(kListed), expected);
  EXPECT_EQ(ToNdjson({}), "");
}

TEST(ResponseJson, CountsEqualNlohmanns) {
  const std::vector<UserCounts> counts = {{UserId(10), 2, 1, 1}, {UserId(11), -1, 0, 0}};
  Ordered all = {{"items", Ordered::array()}};
  for (const UserCounts& one : counts) {
    const Ordered json = {{"user_id", ToString(one.user)},
                          {"following", one.following},
                          {"fans", one.fans},
                          {"friends", one.friends}};
    EXPECT_EQ(ToJson(one), json.dump());
    all["items"].push_back(json);
  }
  EXPECT_EQ(ToJson(counts), all.dump());
  EXPECT_EQ(ToJson(std::vector<UserCounts>()), R"({"items":[]})");
}

TEST(ResponseJson, RelationsEqualNlohmanns) {
  const RelationsAnswer answer{UserId(10),
                               {UserId(1), UserId(2), UserId(3), UserId(4), UserId(10)},
                               {Relation::kNone, Relation::kFollowing, Relation::kFollowedBy,
                                Relation::kFriend, Relation::kSelf}};
  Ordered json = {{"user_id", "10"}, {"items", Ordered::array()}};
  for (std::size_t i = 0; i < answer.targets.size(); ++i) {
    json["items"].push_back({{"user_id", ToString(answer.targets[i])},
                             {"relation", std::string(ToString(answer.relations[i]))}});
  }
  EXPECT_EQ(ToJson(answer), json.dump());
}

TEST(ResponseJson, SuggestionsEqualNlohmanns) {
  const std::vector<Suggestion> suggestions = {
      {UserId(kUserIdMax), 12, {UserId(3), UserId(1), UserId(2)}}, {UserId(5), 1, {UserId(9)}}};
  Ordered all = {{"items", Ordered::array()}};
  for (const Suggestion& suggestion : suggestions) {
    Ordered via = Ordered::array();
    for (const UserId user : suggestion.via) via.push_back(ToString(user));
    all["items"].push_back(
        {{"user_id", ToString(suggestion.user)}, {"score", suggestion.score}, {"via", via}});
  }
  EXPECT_EQ(ToJson(suggestions), all.dump());
  EXPECT_EQ(ToJson(std::vector<Suggestion>()), R"({"items":[]})");
}

TEST(ResponseJson, ProjectionsEqualNlohmanns) {
  LaneStatus status;
  status.lane = {projections::kFans, Generation(2), Partition(3)};
  status.state = LaneState::kHalted;
  status.state_reason = "a \"reason\"\n";
  status.owner = "host-1";
  status.progress.event_offset = Offset(9);
  LaneStatus fresh;
  fresh.deciding = kDeciding;
  const std::vector<ProjectionReport> views = {
      {projections::kFans,
       Generation(2),
       true,
       "halted",
       {5, 70},
       "3:8",
       {{status, Shard(1), Offset(14), {5, 70}}, {fresh, Shard(0), Offset(0), {0, 0}}}}};
  const Ordered lane = {
      {"partition", 3},    {"shard", 1},       {"position", "3:8"}, {"end", 14},
      {"lag_events", 5},   {"lag_ms", 70},     {"state", "halted"}, {"reason", status.state_reason},
      {"owner", "host-1"}, {"role", "applies"}};
  const Ordered empty = {{"partition", 0},     {"shard", 0},      {"position", nullptr},
                         {"end", 0},           {"lag_events", 0}, {"lag_ms", 0},
                         {"state", "running"}, {"reason", ""},    {"owner", ""},
                         {"role", "decides"}};
  const Ordered projection = {{"projection", "fans"}, {"generation", 2},
                              {"read", true},         {"state", "halted"},
                              {"lag_events", 5},      {"lag_ms", 70},
                              {"positions", "3:8"},   {"lanes", Ordered::array({lane, empty})}};
  const Ordered json = {{"projections", Ordered::array({projection})}};
  EXPECT_EQ(ToJson(views), json.dump());
}

TEST(ProblemOf, SaysWhetherTheTablesOrTheServerFailed) {
  EXPECT_EQ(ProblemOf(ErrorCode::kOverloaded), http::problems::kOverloaded);
  for (const ErrorCode code : {ErrorCode::kConflict, ErrorCode::kUnavailable, ErrorCode::kUnknown,
                               ErrorCode::kTimeout, ErrorCode::kRefused}) {
    EXPECT_EQ(ProblemOf(code), kStoreUnavailable);
  }
  for (const ErrorCode code : {ErrorCode::kInvalidArgument, ErrorCode::kNotFound,
                               ErrorCode::kOutOfRange, ErrorCode::kFenced, ErrorCode::kInternal}) {
    EXPECT_EQ(ProblemOf(code), http::problems::kInternal);
  }
}

TEST(ReadFailed, TellsOurOwnWordsAlone) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const Error why{static_cast<ErrorCode>(code), "mariadb.sock"};
    EXPECT_EQ(ReadFailed(why).body.contains(why.message), why.code == ErrorCode::kOverloaded);
    EXPECT_EQ(MayBeTold(why), why.code == ErrorCode::kOverloaded);
  }
}

TEST(ProblemKinds, OfTheReaderHaveTheirStatusAndCode) {
  EXPECT_EQ(kPositionNotReached.status, 409);
  EXPECT_EQ(kPositionNotReached.code, "position_not_reached");
  EXPECT_EQ(kStoreUnavailable.status, 503);
  EXPECT_EQ(kStoreUnavailable.code, "store_unavailable");
}

}  // namespace
}  // namespace fanfold::reader
