// Feeds by their routes, over the tables of two shards.
#include "reader/feed/feed_tenant.h"

#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/post_kind.h"
#include "common/ports/post_reader.h"
#include "common/post/post_outcome.h"
#include "reader/feed/feed_key.h"
#include "reader/feed/history_page.h"
#include "tests/support/memory_reader.h"

namespace fanfold::reader {
namespace {

using Json = nlohmann::json;

constexpr Generation kG1{1};

// `"profile":{"name":ID}` behind each user.
class Names final : public Expansion {
 public:
  [[nodiscard]] Projection projection() const override { return projections::kPosts; }
  [[nodiscard]] const ReaderPosition& position() const override { std::abort(); }
  [[nodiscard]] Result<ExpandedUsers> Of(std::span<const UserId>, const Deployment&,
                                         const ExpandFrom&) const override {
    std::abort();
  }
};

class StandsAt final : public ReaderPosition {
 public:
  void Stand(std::int32_t partitions, Offset next) {
    const StretchEnds ends(*this);
    StandAt(std::vector<Offset>(static_cast<std::size_t>(partitions), next));
  }
};

class FeedTenantTest : public ::testing::Test, public ShardedReader {
 protected:
  FeedTenantTest() {
    for (std::int32_t shard = 0; shard < kShards; ++shard) {
      readers_.push_back(std::make_unique<testing::MemoryReader>(
          tables_[static_cast<std::size_t>(shard)], deployment_.placement, Shard(shard)));
    }
    for (std::int32_t p = 0; p < kPartitions; ++p) {
      LaneProgress& lane =
          HomeOf(Partition(p)).lanes[{projections::kPosts, kG1, Partition(p)}].progress;
      lane.next_offset = lane.event_offset = Offset(1);
    }
  }

  Result<ProjectionReader*> On(Shard shard) override {
    ++asked_;
    if (asked_ == when_) std::exchange(what_, nullptr)();
    return readers_.at(static_cast<std::size_t>(shard.value)).get();
  }

  void Follow(std::uint64_t subject, std::uint64_t object) {
    const EdgeKey key{UserId(subject), UserId(object)};
    const Edge edge{true, static_cast<std::int64_t>(object), Version(1)};
    HomeOf(UserId(subject)).edges[{projections::kFollowing, kG1, key}] = edge;
    HomeOf(UserId(object)).edges[{projections::kFans, kG1, key}] = edge;
  }
  void Post(std::uint64_t author, std::uint64_t post, std::int64_t score) {
    HomeOf(UserId(author)).posts[{kG1, KeyOf(UserId(author), PostId(post))}] = {
        7, fmt::format("of {}", author), score, true, Version(1)};
  }

  // In the tables, and told to the reader: the first of its partition.
  void Publish(std::uint64_t author, std::uint64_t post, std::int64_t score) {
    Post(author, post, score);
    const Partition partition = deployment_.placement.PartitionOf(UserId(author));
    PostOutcome outcome;
    outcome.kind = PostOutcomeKind::kPosted;
    outcome.position = {partition, Offset(1)};
    outcome.author = UserId(author);
    outcome.post_id = PostId(post);
    outcome.score = score;
    const std::string value = CutPostOutcome(EncodePostOutcome(outcome));
    const LogRecord record{.partition = partition,
                           .offset = Offset(1),
                           .appended_ms = 0,
                           .key = std::nullopt,
                           .value = value};
    ASSERT_TRUE(tenant_->feed()->Take(std::span(&record, 1)));
  }
  // The owner's versions are the order in which these were shown.
  void Show(std::uint64_t author, std::uint64_t post) {
    ++shown_;
    HomeOf(UserId(1)).shown[{kG1, RowKey{UserId(1), UserId(shown_)}}] = {
        UserId(author), PostId(post), 5, true, Version(static_cast<std::int64_t>(shown_))};
  }
  // All pages of a list.
  std::vector<std::string> Walk(std::string_view path, int limit) {
    std::vector<std::string> walked;
    std::string more;
    do {
      const Json page = Get(path, fmt::format("limit={}{}", limit, more));
      EXPECT_LE(page.at("items").size(), static_cast<std::size_t>(limit));
      for (const std::string& post : PostsIn(page)) walked.push_back(post);
      const Json& next = page.at("next_cursor");
      more = next.is_null() ? "" : "&cursor=" + next.get<std::string>();
    } while (!more.empty());
    return walked;
  }

  // The reader follows from where the tables stand.
  void StartReader() {
    tenant_->feed()->Start(deployment_.placement, std::vector<Offset>(kPartitions, Offset(1)));
  }

  Result<LiveAnswer> Ask(std::string_view path, const std::string& query, const ExpandFrom& from,
                         const Expand& expand = nullptr) {
    const http::Request request;
    for (const TenantRoute& route : tenant_->routes()) {
      if (route.pattern != path) continue;
      const ParsedRead read =
          route.parse({request, {"1"}, *http::Query::Parse(query)}, {{"profile", &names_}});
      if (!read) return Fail(ErrorCode::kInvalidArgument, read.error().body);
      if (const auto* live = std::get_if<LiveQuery>(&read->query)) {
        return live->question->Ask(*this, deployment_, from, expand);
      }
      auto json = std::get<TenantQuery>(read->query).question->Ask(*this, deployment_, expand);
      if (!json) return Forward(json);
      return LiveAnswer{**std::move(json), true};
    }
    return Fail(ErrorCode::kInternal, "no such route");
  }
  Json Get(std::string_view path, const std::string& query = "") {
    const Result<LiveAnswer> answer = Ask(path, query, {.memory = true, .tables = this});
    EXPECT_TRUE(answer) << answer.error().message;
    return answer ? Json::parse(answer->json) : Json();
  }
  // "author:post" of each item.
  static std::vector<std::string> PostsIn(const Json& page) {
    std::vector<std::string> posts;
    for (const Json& item : page.at("items")) {
      posts.push_back(item.at("author").get<std::string>() + ":" +
                      item.at("post_id").get<std::string>());
    }
    return posts;
  }

  static constexpr std::int32_t kPartitions = 4;
  static constexpr std::int32_t kShards = 2;
  static constexpr const char* kFeed = "/v1/users/{id}/feed";
  static constexpr const char* kUnread = "/v1/users/{id}/feed/unread";
  static constexpr const char* kLatest = "/v1/users/{id}/feed/latest";
  static constexpr const char* kHistory = "/v1/users/{id}/feed/history";

  template <class Where>
  testing::MemoryTables& HomeOf(Where where) {
    return tables_.at(static_cast<std::size_t>(deployment_.placement.ShardOf(where).value));
  }

  Deployment deployment_{Placement::Modulo({kPartitions, kShards}), {}};
  std::vector<testing::MemoryTables> tables_{kShards};
  std::vector<std::unique_ptr<testing::MemoryReader>> readers_;
  int asked_ = 0;
  int when_ = -1;  // so manyth asked, this happens
  std::function<void()> what_;
  std::uint64_t shown_ = 0;
  const Names names_;
  StandsAt relations_;
  Metrics metrics_;
  const std::unique_ptr<Tenant> tenant_ =
      NewFeedTenant({kShards, std::size_t{1} << 20, std::size_t{1} << 20}, relations_, metrics_);
};

using Posts = std::vector<std::string>;

// What a connection's thread would be kept by is asked for again, by another one.
TEST_F(FeedTenantTest, APageThatSaysMuchIsNotToldAtOnce) {
  Follow(1, 2);
  for (std::uint64_t post = 1; post <= 9; ++post) {
    HomeOf(UserId(2)).posts[{kG1, KeyOf(UserId(2), PostId(post))}] = {
        7, std::string(4'096, 'x'), static_cast<std::int64_t>(post), true, Version(1)};
  }
  const ExpandFrom at_once{.memory = true, .tables = this, .at_once = true};
  EXPECT_TRUE(Ask("/v1/users/{id}/feed", "limit=8", at_once));
  const auto refused = Ask("/v1/users/{id}/feed", "limit=9", at_once);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(PostsIn(Get("/v1/users/{id}/feed", "limit=9")).size(), 9U);
  ExpandFrom of_head = at_once;
  of_head.is_head = true;
  const auto head = Ask("/v1/users/{id}/feed", "limit=9", of_head);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->json, "");
}

TEST_F(FeedTenantTest, APageHasWhatPostsSayAndItsCursors) {
  Follow(1, 2);
  Follow(1, 3);
  Post(2, 20, 5);
  Post(3, 30, 6);
  Post(4, 40, 7);
  StartReader();
  const Json page = Get(kFeed);
  EXPECT_EQ(page.at("items").dump(),
            R"([{"author":"3","content":"of 3","post_id":"30","score":6,"type":7},)"
            R"({"author":"2","content":"of 2","post_id":"20","score":5,"type":7}])");
  EXPECT_EQ(page.at("has_older"), false);
  EXPECT_EQ(page.at("has_newer"), false);
  EXPECT_EQ(page.at("before"), EncodeFeedCursor({UserId(3), {6, PostId(30)}}));
  EXPECT_EQ(page.at("after"), EncodeFeedCursor({UserId(2), {5, PostId(20)}}));
}

TEST_F(FeedTenantTest, AnEmptyPageHasTheCursorThatWasGiven) {
  StartReader();
  EXPECT_EQ(Get(kFeed).dump(),
            R"({"after":null,"before":null,"has_newer":false,"has_older":false,"items":[]})");
  const std::string cursor = EncodeFeedCursor({UserId(3), {6, PostId(30)}});
  for (const char* towards : {"after", "before"}) {
    const Json page = Get(kFeed, fmt::format("{}={}", towards, cursor));
    EXPECT_EQ(page.at("after"), cursor);
    EXPECT_EQ(page.at("before"), cursor);
  }
}

TEST_F(FeedTenantTest, PagesMeetInBothDirections) {
  Posts all;
  for (std::uint64_t post = 9; post >= 1; --post) {
    const std::uint64_t author = 2 + post % 3;
    Follow(1, author);
    Post(author, post, static_cast<std::int64_t>(post));
    all.push_back(fmt::format("{}:{}", author, post));
  }
  StartReader();
  for (int limit = 1; limit <= 10; ++limit) {
    Posts down;
    Json page = Get(kFeed, fmt::format("limit={}", limit));
    while (true) {
      for (const std::string& post : PostsIn(page)) down.push_back(post);
      if (!page.at("has_older")) break;
      page =
          Get(kFeed, fmt::format("limit={}&after={}", limit, page.at("after").get<std::string>()));
    }
    EXPECT_EQ(down, all) << limit;
    Posts up = PostsIn(page);
    while (page.at("has_newer")) {
      page = Get(kFeed,
                 fmt::format("limit={}&before={}", limit, page.at("before").get<std::string>()));
      const Posts newer = PostsIn(page);
      up.insert(up.begin(), newer.begin(), newer.end());
    }
    EXPECT_EQ(up, all) << limit;
  }
}

TEST_F(FeedTenantTest, FriendsAloneAndTheOwnersOwn) {
  Follow(1, 2);
  Follow(1, 3);
  Follow(3, 1);
  for (const std::uint64_t author : {1, 2, 3, 4}) Post(author, author, 10);
  StartReader();
  EXPECT_EQ(PostsIn(Get(kFeed)), (Posts{"3:3", "2:2"}));
  EXPECT_EQ(PostsIn(Get(kFeed, "of=friends")), (Posts{"3:3"}));
  EXPECT_EQ(PostsIn(Get(kFeed, "include=self")), (Posts{"3:3", "2:2", "1:1"}));
  EXPECT_EQ(PostsIn(Get(kFeed, "include=self&of=friends")), (Posts{"3:3", "1:1"}));
  const std::string below = EncodeFeedCursor({UserId(1), {9, PostId(1)}});
  EXPECT_EQ(Get(kUnread, "since=" + below).dump(), R"({"count":2,"more":false})");
  EXPECT_EQ(Get(kUnread, "include=self&since=" + below).dump(), R"({"count":3,"more":false})");
}

// More than a page of lists.
TEST_F(FeedTenantTest, AllWhoAreFollowedCount) {
  constexpr std::uint64_t kAuthors = 2 * ListReader::kPageMax + 7;
  for (std::uint64_t author = 2; author < 2 + kAuthors; ++author) {
    Follow(1, author);
    Post(author, 1, static_cast<std::int64_t>(author));
  }
  StartReader();
  std::size_t posts = 0;
  std::string after;
  while (true) {
    const Json page = Get(kFeed, "limit=200" + after);
    posts += page.at("items").size();
    if (!page.at("has_older")) break;
    after = "&after=" + page.at("after").get<std::string>();
  }
  EXPECT_EQ(posts, kAuthors);
  const std::string oldest = EncodeFeedCursor({UserId(1), {0, PostId(1)}});
  EXPECT_EQ(Get(kUnread, "since=" + oldest).dump(), R"({"count":1000,"more":true})");
}

TEST_F(FeedTenantTest, TheNewestOfEachInPagesOfEveryLength) {
  for (const std::uint64_t author : {2, 3, 4}) {
    Follow(1, author);
    for (std::uint64_t post = 1; post <= 3; ++post) {
      Post(author, post, static_cast<std::int64_t>(author * 10 + post));
    }
  }
  StartReader();
  for (int limit = 1; limit <= 4; ++limit) {
    EXPECT_EQ(Walk(kLatest, limit), (Posts{"4:3", "3:3", "2:3"})) << limit;
  }
}

// No older one instead.
TEST_F(FeedTenantTest, TheNewestOfEachAreWithoutWhatWasShown) {
  Posts left;
  for (std::uint64_t author = 40; author >= 2; --author) {
    Follow(1, author);
    Post(author, 1, 1);
    Post(author, 2, static_cast<std::int64_t>(author));
    if (author % 3 != 0) Show(author, 2);
    if (author % 3 == 0) Show(author, 1);  // an older one
    if (author % 3 == 0) left.push_back(fmt::format("{}:2", author));
  }
  StartReader();
  for (int limit = 1; limit <= 15; ++limit) EXPECT_EQ(Walk(kLatest, limit), left) << limit;
  for (const std::string& post : left) Show(std::stoull(post), 2);
  const Json page = Get(kLatest);
  EXPECT_TRUE(page.at("items").empty());
  EXPECT_TRUE(page.at("next_cursor").is_null());
}

TEST_F(FeedTenantTest, WhatIsShownIsNotAskedForTwiceInOneAnswer) {
  constexpr std::uint64_t kAuthors = 500;
  for (std::uint64_t author = 2; author < 2 + kAuthors; ++author) {
    Follow(1, author);
    Post(author, 1, static_cast<std::int64_t>(author));
    if (author > 2) Show(author, 1);
  }
  StartReader();
  (void)Get(kFeed);
  asked_ = 0;
  EXPECT_EQ(PostsIn(Get(kLatest, "limit=20")), (Posts{"2:1"}));
  // 21, 84, 336 and all of them, and what the one that is left says.
  EXPECT_LE(asked_, 4 + 1 + kShards);
}

// Of a post that comes meanwhile it is asked too, also by one of whom nothing is left then.
TEST_F(FeedTenantTest, WhatComesWhileItIsAskedWhatWasShownIsAskedForToo) {
  for (const std::uint64_t author : {2, 3}) {
    Follow(1, author);
    Post(author, 1, static_cast<std::int64_t>(author));
  }
  Show(2, 99);
  StartReader();
  (void)Get(kFeed);
  when_ = asked_ + 2;  // behind who is followed
  what_ = [this] { Publish(2, 99, 1'000); };
  EXPECT_EQ(PostsIn(Get(kLatest)), (Posts{"3:1"}));
  EXPECT_FALSE(what_);
  EXPECT_EQ(PostsIn(Get(kFeed)), (Posts{"2:99", "3:1", "2:1"}));
}

// Nor is it made again for one that was not shown, however many come.
TEST_F(FeedTenantTest, WhatComesMeanwhileEndsNoPage) {
  Follow(1, 2);
  Post(2, 1, 2);
  StartReader();
  (void)Get(kFeed);
  const int before = asked_;
  when_ = asked_ + 2;
  what_ = [this] { Publish(2, 99, 1'000); };
  EXPECT_EQ(PostsIn(Get(kLatest)), (Posts{"2:99"}));
  EXPECT_EQ(asked_ - before, 4) << "who is followed, what was shown, what it says, was it shown";
}

TEST_F(FeedTenantTest, WhatWasShownInPagesOfEveryLength) {
  for (std::uint64_t post = 1; post <= 9; ++post) {
    Post(2 + post % 3, post, 5);
    Show(2 + post % 3, post);
  }
  for (std::uint64_t post = 1; post <= 4; ++post) Show(2 + post % 3, post);  // keep their places
  Show(2, 77);                                                               // unknown
  auto& deleted = HomeOf(UserId(3)).posts[{kG1, KeyOf(UserId(3), PostId(4))}];
  deleted.active = false;
  const Posts all = {"2:9", "4:8", "3:7", "2:6", "4:5", "2:3", "4:2", "3:1"};
  for (int limit = 1; limit <= 10; ++limit) EXPECT_EQ(Walk(kHistory, limit), all) << limit;
  const Json item = Get(kHistory, "limit=1").at("items").at(0);
  EXPECT_EQ(item.dump(), R"({"author":"2","content":"of 2","post_id":"9","score":5,"type":7})");
}

// A page of it is short, and leads on.
TEST_F(FeedTenantTest, ManyDeletedPostsAndRepeatsEndNoHistory) {
  Post(2, 1, 5);
  Show(2, 1);
  for (std::uint64_t i = 2; i <= 2 * kHistoryRowsMax; ++i) Show(2, i % 2 == 0 ? i : 1);
  const Json page = Get(kHistory);
  EXPECT_TRUE(page.at("items").empty());
  EXPECT_FALSE(page.at("next_cursor").is_null());
  EXPECT_EQ(Walk(kHistory, 20), (Posts{"2:1"}));
}

TEST_F(FeedTenantTest, AuthorsCarryWhatIsAskedFor) {
  Follow(1, 2);
  Post(2, 20, 5);
  StartReader();
  const Expand expand = [](std::span<const UserId> users) -> Result<std::vector<std::string>> {
    std::vector<std::string> members;
    for (const UserId user : users) members.push_back(fmt::format(R"("profile":{})", user.value));
    return members;
  };
  Follow(1, 3);
  Post(3, 30, 4);
  Show(3, 30);
  for (const char* path : {kFeed, kLatest, kHistory}) {
    const auto answer = Ask(path, "expand=profile", {.memory = true, .tables = this}, expand);
    ASSERT_TRUE(answer);
    EXPECT_EQ(Json::parse(answer->json).at("items").at(0).at("profile"), path == kHistory ? 3 : 2)
        << path;
  }
}

TEST_F(FeedTenantTest, MemoryAnswersWhatWasAskedBefore) {
  Follow(1, 2);
  Post(2, 20, 5);
  StartReader();
  const std::string since = "since=" + EncodeFeedCursor({UserId(1), {0, PostId(1)}});
  const std::vector<std::pair<const char*, std::string>> all = {{kFeed, ""}, {kUnread, since}};
  for (const auto& [path, query] : all) {
    const auto without = Ask(path, query, {.memory = true, .tables = nullptr});
    ASSERT_FALSE(without) << path;
    EXPECT_EQ(without.error().code, ErrorCode::kUnavailable) << path;
  }
  (void)Get(kFeed);
  for (const auto& [path, query] : all) {
    const auto answer = Ask(path, query, {.memory = true, .tables = nullptr});
    ASSERT_TRUE(answer) << path;
    EXPECT_FALSE(answer->as_tables_are) << path;
  }
  // What was shown the tables alone know.
  const auto latest = Ask(kLatest, "", {.memory = true, .tables = nullptr});
  ASSERT_FALSE(latest);
  EXPECT_EQ(latest.error().code, ErrorCode::kUnavailable);
}

TEST_F(FeedTenantTest, WithoutAReadersPositionTheTablesAnswer) {
  Follow(1, 2);
  Post(2, 20, 5);
  const auto unfollowed = Ask(kFeed, "", {.memory = true, .tables = this});
  ASSERT_TRUE(unfollowed);
  EXPECT_TRUE(unfollowed->as_tables_are);
  StartReader();
  (void)Get(kFeed);
  Post(2, 21, 6);  // as if folded, and not read yet
  EXPECT_EQ(PostsIn(Get(kFeed)), (Posts{"2:20"}));
  const auto of_tables = Ask(kFeed, "", {.memory = false, .tables = this});
  ASSERT_TRUE(of_tables);
  EXPECT_TRUE(of_tables->as_tables_are);
  EXPECT_EQ(PostsIn(Json::parse(of_tables->json)), (Posts{"2:21", "2:20"}));
}

TEST_F(FeedTenantTest, WhatCannotBeAskedIsRefused) {
  const std::string cursor = EncodeFeedCursor({UserId(3), {6, PostId(30)}});
  const std::vector<std::array<std::string, 3>> kRefused = {
      {kFeed, "limit=0", "invalid_argument"},
      {kFeed, "limit=201", "invalid_argument"},
      {kFeed, "after=x", "invalid_cursor"},
      {kFeed, "before=1-2", "invalid_cursor"},
      {kFeed, "after=" + cursor + "&before=" + cursor, "invalid_argument"},
      {kFeed, "include=others", "invalid_argument"},
      {kFeed, "of=fans", "invalid_argument"},
      {kFeed, "expand=posts", "invalid_argument"},
      {kFeed, "cursor=" + cursor, "unknown_parameter"},
      {kUnread, "since=", "invalid_cursor"},
      {kUnread, "since=" + cursor + "&limit=5", "unknown_parameter"},
      {kLatest, "cursor=9", "invalid_cursor"},
      {kLatest, "after=" + cursor, "unknown_parameter"},
      {kHistory, "cursor=" + cursor, "invalid_cursor"},
      {kHistory, "limit=0", "invalid_argument"},
      {kHistory, "after=1", "unknown_parameter"},
  };
  for (const auto& [path, query, code] : kRefused) {
    const auto answer = Ask(path, query, {});
    ASSERT_FALSE(answer) << path << '?' << query;
    EXPECT_NE(answer.error().message.find(code), std::string::npos) << path << '?' << query;
  }
}

// Owner 1 follows 2, 3 and 4, each of whom has posted once. The inbox says more than the tables
// do, so that everything that is taken from it shows.
class FeedsWithInboxes : public FeedTenantTest {
 protected:
  FeedsWithInboxes() {
    deployment_.inboxes = Generation(3);
    relations_.Stand(kPartitions, Offset(5));
    for (const std::uint64_t author : {2, 3, 4}) {
      Follow(1, author);
      Post(author, author, static_cast<std::int64_t>(author));
    }
    view_.head = {.of = {deployment_.placement.PartitionOf(UserId(1)), UserId(1)},
                  .made = true,
                  .stand = InboxStandOf(Generation(3), {}),
                  .follows_at = Offset(5)};
    view_.following = Offset(5);
    for (std::int32_t p = 0; p < kPartitions; ++p) {
      view_.delivered.emplace_back(Partition(p), Offset(1));
    }
    for (const std::uint64_t author : {4, 3, 2}) {
      const auto id = static_cast<std::int64_t>(author);
      view_.inbox.all.posted.push_back({id + 10, UserId(author), PostId(author + 10)});
      Post(author, author + 10, id + 10);  // what it says, once it is asked for
    }
    StartReader();
  }
  // The keys of the page, by an inbox like that.
  std::vector<std::string> Page(const std::string& query = "limit=3") {
    HomeOf(UserId(1)).inboxes[view_.head.of] = view_;
    // The tables of posts tell none of what the inbox does, until contents are asked for.
    return PostsIn(Get(kFeed, query));
  }
  double TakenFromInboxes() const {
    const std::string text = metrics_.Text();
    const auto at = text.find("\nfanfold_reader_inboxes_total ");
    return std::stod(text.substr(text.find(' ', at + 1)));
  }

  InboxView view_;
};

TEST_F(FeedsWithInboxes, AreToldByThem) {
  view_.inbox.floor = {2, UserId(2), PostId(2)};
  EXPECT_EQ(Page("limit=2"), (std::vector<std::string>{"4:14", "3:13"}));
  EXPECT_EQ(TakenFromInboxes(), 1);
  EXPECT_EQ(asked_, 3) << "the followings, the inbox, and what the two posts say";
}

TEST_F(FeedsWithInboxes, GoOnBelowTheFloorInTheTables) {
  view_.inbox.floor = {13, UserId(3), PostId(13)};
  view_.inbox.all.posted.pop_back();
  EXPECT_EQ(Page("limit=4"), (std::vector<std::string>{"4:14", "3:13", "2:12", "4:4"}));
  EXPECT_EQ(TakenFromInboxes(), 1);
}

TEST_F(FeedsWithInboxes, LeaveOutWhatIsBelowTheFloor) {
  view_.inbox.floor = {13, UserId(3), PostId(13)};
  HomeOf(UserId(2)).posts.erase({kG1, KeyOf(UserId(2), PostId(12))});
  EXPECT_EQ(Page("limit=3"), (std::vector<std::string>{"4:14", "3:13", "4:4"}));
}

struct InboxCase {
  std::string name;
  std::function<void(InboxView&)> change;
  bool is_taken;
  bool covers_three;  // the author 3
};
class InboxesOfFeeds : public FeedsWithInboxes, public ::testing::WithParamInterface<InboxCase> {};

// 3 has a post that the owner's inbox does not know.
TEST_P(InboxesOfFeeds, CountForThoseTheyCover) {
  Post(3, 20, 30);
  GetParam().change(view_);
  const std::vector<std::string> page = Page("limit=2");
  EXPECT_EQ(page.front(), GetParam().covers_three ? "4:14" : "3:20");
  EXPECT_EQ(TakenFromInboxes(), GetParam().is_taken ? 1 : 0);
}

INSTANTIATE_TEST_SUITE_P(
    Views, InboxesOfFeeds,
    ::testing::Values(
        InboxCase{"AsItIs", [](InboxView&) {}, true, true},
        InboxCase{"BeingMade", [](InboxView& view) { view.head.made = false; }, false, false},
        InboxCase{"Damaged", [](InboxView& view) { view.is_damaged = true; }, false, false},
        InboxCase{"OfAnotherTurn",
                  [](InboxView& view) { view.head.stand = InboxStandOf(Generation(2), {}); }, false,
                  false},
        InboxCase{"OfOtherTables",
                  [](InboxView& view) {
                    ReadGenerations read;
                    read[projections::kPosts] = Generation(2);
                    view.head.stand = InboxStandOf(Generation(3), read);
                  },
                  false, false},
        InboxCase{"FollowsBehind", [](InboxView& view) { view.following = Offset(4); }, false,
                  false},
        InboxCase{"FollowsRewound", [](InboxView& view) { view.following = std::nullopt; }, false,
                  false},
        InboxCase{"Changed", [](InboxView& view) { view.changed = {UserId(3)}; }, true, false},
        InboxCase{"Pulled", [](InboxView& view) { view.inbox.all.pulled = {UserId(3)}; }, true,
                  false},
        InboxCase{"BelowTheWindow",
                  [](InboxView& view) {
                    for (auto& [partition, event] : view.delivered) event = Offset(0);
                  },
                  false, false}),
    [](const auto& param_info) { return param_info.param.name; });

TEST_F(FeedsWithInboxes, OneselfIsNotCovered) {
  Post(1, 9, 40);
  EXPECT_EQ(Page("limit=2&include=self"), (std::vector<std::string>{"1:9", "4:14"}));
}

TEST_F(FeedsWithInboxes, AreBroughtToTheReader) {
  Publish(2, 21, 31);
  EXPECT_EQ(Page("limit=2"), (std::vector<std::string>{"2:21", "4:14"}));
  EXPECT_EQ(TakenFromInboxes(), 1);
}

TEST_F(FeedsWithInboxes, WhatIsGoneIsMadeAnewWithoutThem) {
  view_.inbox.all.posted.insert(view_.inbox.all.posted.begin(), {99, UserId(2), PostId(99)});
  EXPECT_EQ(Page("limit=2"), (std::vector<std::string>{"4:14", "3:13"}));
}

TEST_F(FeedsWithInboxes, ArePulledWhereNoneAreKept) {
  deployment_.inboxes.reset();
  Post(3, 20, 30);
  EXPECT_EQ(Page("limit=1"), std::vector<std::string>{"3:20"});
  EXPECT_EQ(TakenFromInboxes(), 0);
}

}  // namespace
}  // namespace fanfold::reader
