// Posts, from the tables, through the reader as a whole.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/ports/post_reader.h"
#include "common/post/post_event.h"
#include "reader/reader_service.h"
#include "tests/support/memory_log.h"
#include "tests/support/memory_reader.h"
#include "tests/support/wait_until.h"
#include "tests/unit/reader/get_from.h"

namespace fanfold::reader {
namespace {

using testing::MemoryReader;
using testing::WaitUntil;
using Json = nlohmann::json;

// What a projector would have folded; shared by all connections.
struct PostTables {
  std::mutex mutex;
  std::map<std::pair<Generation, UserId>, std::vector<ListedPost>> posts;  // newest first
};

class FakePosts final : public PostReader {
 public:
  explicit FakePosts(PostTables& tables) : tables_(tables) {}

  Result<PostView> Page(Generation generation, UserId author, Partition /*partition*/,
                        const std::optional<PostPlace>& after, std::size_t limit) override {
    const std::scoped_lock lock(tables_.mutex);
    PostView view;
    for (const ListedPost& post : tables_.posts[{generation, author}]) {
      const bool behind = !after || post.place < *after;
      if (behind && view.posts.size() < limit) view.posts.push_back(post);
    }
    return view;
  }
  Result<PostView> One(Generation generation, UserId author, Partition /*partition*/,
                       PostId post) override {
    const std::scoped_lock lock(tables_.mutex);
    PostView view;
    for (const ListedPost& one : tables_.posts[{generation, author}]) {
      if (one.place.post == post) view.posts.push_back(one);
    }
    return view;
  }
  Result<StretchesView> Stretches(Generation, std::span<const PostStretch>, std::size_t) override {
    return Fail(ErrorCode::kInternal, "feeds are not asked for here");
  }
  Result<PostsView> Among(Generation, std::span<const RowKey>) override {
    return Fail(ErrorCode::kInternal, "feeds are not asked for here");
  }

 private:
  PostTables& tables_;
};

class TablesWithPosts final : public MemoryReader {
 public:
  TablesWithPosts(const testing::MemoryTables& tables, PostTables& posts,
                  const Placement& placement, Shard shard)
      : MemoryReader(tables, placement, shard), posts_(posts) {}

  std::unique_ptr<RowReader> OpenRows(Projection projection) override {
    if (projection != projections::kPosts) return MemoryReader::OpenRows(projection);
    return std::make_unique<FakePosts>(posts_);
  }

 private:
  PostTables& posts_;
};

class PostReads : public ::testing::Test {
 protected:
  // Every lane of posts has folded so many events.
  void Serve(std::int64_t folded = 0) {
    service_.reset();
    for (std::int32_t p = 0; p < placement_.partitions(); ++p) {
      const Partition partition(p);
      auto& home = tables_.at(static_cast<std::size_t>(placement_.ShardOf(partition).value));
      home.lanes[{projections::kFollowing, Generation(1), partition}];
      home.lanes[{Projection::Find("profiles").value(), Generation(1), partition}];
      LaneProgress& posts = home.lanes[{projections::kPosts, Generation(1), partition}].progress;
      posts.next_offset = posts.event_offset = Offset(folded);
      for (auto& shard : tables_) shard.lanes[{projections::kFans, Generation(1), partition}];
    }
    router_ = std::make_unique<http::Router>();
    service_ = std::make_unique<ReaderService>(
        log_,
        [this](Shard shard) -> Result<std::unique_ptr<ProjectionReader>> {
          return std::make_unique<TablesWithPosts>(
              tables_.at(static_cast<std::size_t>(shard.value)), posts_, placement_, shard);
        },
        placement_.shape(), ReaderLimits{.threads = 1, .cache = {}}, metrics_, clock_);
    service_->AddRoutes(*router_);
    ASSERT_TRUE(WaitUntil([&] { return service_->Ready().has_value(); }));
  }

  void Has(std::uint64_t author, std::vector<ListedPost> posts) {
    std::ranges::sort(posts, std::greater(), &ListedPost::place);
    posts_.posts[{Generation(1), UserId(author)}] = std::move(posts);
  }
  void Append(std::uint64_t author) {
    log_.Put(topics::kPostEvents, placement_.PartitionOf(UserId(author)), ToString(UserId(author)),
             "{}");
  }

  http::Response Get(const std::string& path, const std::string& query = "") {
    return testing::GetFrom(*router_, path, query);
  }

  const SystemClock clock_;
  Metrics metrics_;
  const Placement placement_ = Placement::Modulo({4, 2});
  testing::MemoryLog log_{4};
  std::vector<testing::MemoryTables> tables_{2};
  PostTables posts_;
  std::unique_ptr<http::Router> router_;
  std::unique_ptr<ReaderService> service_;
};

TEST_F(PostReads, PagesOfEveryLengthMeet) {
  std::vector<ListedPost> posts;
  for (std::uint64_t post = 1; post <= 7; ++post) {
    posts.push_back({{static_cast<std::int64_t>(post / 2), PostId(post)}, 3, "p"});
  }
  Has(7, posts);
  Serve();
  for (int limit = 1; limit <= 8; ++limit) {
    std::vector<std::string> walked;
    std::string more;
    do {
      const Json page =
          Json::parse(Get("/v1/users/7/posts", fmt::format("limit={}{}", limit, more)).body);
      for (const Json& item : page.at("items")) {
        walked.push_back(item.at("post_id").get<std::string>());
      }
      more = page.at("next_cursor").is_null()
                 ? ""
                 : "&cursor=" + page.at("next_cursor").get<std::string>();
    } while (!more.empty());
    EXPECT_EQ(walked, (std::vector<std::string>{"7", "6", "5", "4", "3", "2", "1"})) << limit;
  }
}

TEST_F(PostReads, APostIsToldWhole) {
  Has(7, {{{5, PostId(9)}, 3, "a\"é\n"}});
  Serve();
  const std::string post = R"({"author":"7","post_id":"9","score":5,"type":3,"content":"a\"é\n"})";
  EXPECT_EQ(Get("/v1/users/7/posts/9").body, post);
  EXPECT_EQ(Get("/v1/users/7/posts").body, R"({"items":[)" + post + R"(],"next_cursor":null})");
  EXPECT_EQ(Get("/v1/users/8/posts").body, R"({"items":[],"next_cursor":null})");
}

TEST_F(PostReads, WhatIsNotThereIs404WithTheLag) {
  Serve();
  const http::Response missing = Get("/v1/users/7/posts/9");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(Json::parse(missing.body).at("code"), "not_found");
  EXPECT_TRUE(std::ranges::any_of(missing.headers, [](const http::Header& header) {
    return header.first == "Fanfold-Lag-Ms";
  }));
}

TEST_F(PostReads, TheTablesHaveToHaveReachedAPosition) {
  for (int i = 0; i < 3; ++i) Append(7);
  Serve(2);
  const std::string at = fmt::format("timeout_ms=0&min_position=post-events/{}:",
                                     placement_.PartitionOf(UserId(7)).value);
  EXPECT_EQ(Get("/v1/users/7/posts", at + "1").status, 200);
  EXPECT_EQ(Get("/v1/users/7/posts/1", at + "1").status, 404);
  const http::Response refused = Get("/v1/users/7/posts", at + "2");
  EXPECT_EQ(refused.status, 409);
  EXPECT_NE(refused.body.find("post-events/"), std::string::npos) << refused.body;
  EXPECT_EQ(Get("/v1/users/7/counts", at + "1").status, 200) << "whatever it reads";
  EXPECT_EQ(Get("/v1/users/7/counts", at + "2").status, 409);
}

TEST_F(PostReads, WhatCannotBeAskedIsRefused) {
  Serve();
  for (const auto& [path, query, code] : std::vector<std::array<std::string, 3>>{
           {"/v1/users/0/posts", "", "invalid_argument"},
           {"/v1/users/7/posts", "limit=0", "invalid_argument"},
           {"/v1/users/7/posts", "limit=201", "invalid_argument"},
           {"/v1/users/7/posts", "cursor=x", "invalid_cursor"},
           {"/v1/users/7/posts", "x=1", "unknown_parameter"},
           {"/v1/users/7/posts/0", "", "invalid_argument"},
           {"/v1/users/7/posts/x", "", "invalid_argument"},
           {"/v1/users/x/posts/1", "", "invalid_argument"},
           {"/v1/users/7/posts/1", "limit=1", "unknown_parameter"},
           {"/v1/users/7/posts", "generation=2", "invalid_argument"}}) {
    const http::Response refused = Get(path, query);
    EXPECT_EQ(refused.status, 400) << path << '?' << query;
    EXPECT_EQ(Json::parse(refused.body).at("code"), code) << path << '?' << query;
  }
}

}  // namespace
}  // namespace fanfold::reader
