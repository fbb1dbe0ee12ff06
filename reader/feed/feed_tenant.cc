#include "reader/feed/feed_tenant.h"

#include "reader/feed/feed_questions.h"
#include "reader/feed/history_page.h"
#include "reader/feed/post_feed.h"

namespace fanfold::reader {
namespace {

class FeedTenant final : public Tenant {
 public:
  FeedTenant(const TenantLimits& limits, const ReaderPosition& relations, Metrics& metrics)
      : live_(projections::kPosts, limits.shards, {.posts_bytes = limits.posts_bytes}, metrics),
        contents_(limits.bytes_max, metrics),
        feed_(projections::kPosts, live_, contents_, metrics),
        memory_{live_, contents_, relations} {}

  TopicFeed* feed() override { return &feed_; }
  TableWatcher* watcher() override { return &live_; }
  std::vector<TenantRoute> routes() const override {
    return {{"/v1/users/{id}/feed",
             [this](const http::Routed& routed, const Expansions& expansions) {
               return ParseFeed(routed, expansions);
             }},
            {"/v1/users/{id}/feed/unread",
             [this](const http::Routed& routed, const Expansions&) { return ParseUnread(routed); }},
            {"/v1/users/{id}/feed/latest",
             [this](const http::Routed& routed, const Expansions& expansions) {
               return ParseLatest(routed, expansions);
             }},
            {"/v1/users/{id}/feed/history", ParseHistory}};
  }

 private:
  [[nodiscard]] ParsedRead ParseFeed(const http::Routed& routed,
                                     const Expansions& expansions) const {
    Parameters parameters(routed, {"limit", "after", "before", "include", "of", "expand",
                                   "generation", "min_position", "timeout_ms"});
    FeedOf of{.owner = parameters.PathUser()};
    of.with_self = parameters.Word("include", "self");
    of.friends_alone = parameters.Word("of", "friends");
    FeedQuery query{.limit = parameters.Limit()};
    query.cursor = parameters.CursorBy(DecodeFeedCursor, "after");
    const std::optional<FeedKey> before = parameters.CursorBy(DecodeFeedCursor, "before");
    if (query.cursor && before) parameters.Refuse("after and before exclude each other");
    if (before) {
      query.cursor = before;
      query.towards = FeedQuery::Towards::kNewer;
    }
    parameters.Expand(expansions);
    return parameters.Finish(LiveQuery{NewFeedPage(memory_, of, query)});
  }

  [[nodiscard]] ParsedRead ParseUnread(const http::Routed& routed) const {
    Parameters parameters(routed, {"since", "include", "generation", "min_position", "timeout_ms"});
    FeedOf of{.owner = parameters.PathUser()};
    of.with_self = parameters.Word("include", "self");
    const std::optional<FeedKey> since = parameters.CursorBy(DecodeFeedCursor, "since");
    return parameters.Finish(LiveQuery{NewUnread(memory_, of, since.value_or(FeedKey()))});
  }

  [[nodiscard]] ParsedRead ParseLatest(const http::Routed& routed,
                                       const Expansions& expansions) const {
    Parameters parameters(
        routed, {"limit", "cursor", "expand", "generation", "min_position", "timeout_ms"});
    const FeedOf of{.owner = parameters.PathUser()};
    const std::size_t limit = parameters.Limit();
    const std::optional<FeedKey> after = parameters.CursorBy(DecodeFeedCursor);
    parameters.Expand(expansions);
    return parameters.Finish(LiveQuery{NewLatest(memory_, of, after, limit)});
  }

  static ParsedRead ParseHistory(const http::Routed& routed, const Expansions& expansions) {
    Parameters parameters(
        routed, {"limit", "cursor", "expand", "generation", "min_position", "timeout_ms"});
    const UserId owner = parameters.PathUser();
    const std::size_t limit = parameters.Limit();
    const std::optional<Version> before = parameters.CursorBy(DecodeHistoryCursor);
    parameters.Expand(expansions);
    return parameters.Finish(TenantQuery{NewHistoryPage(owner, before, limit)});
  }

  LivePosts live_;
  PostContents contents_;
  PostFeed feed_;
  const FeedMemory memory_;
};

}  // namespace

std::unique_ptr<Tenant> NewFeedTenant(const TenantLimits& limits, const ReaderPosition& relations,
                                      Metrics& metrics) {
  return std::make_unique<FeedTenant>(limits, relations, metrics);
}

}  // namespace fanfold::reader
