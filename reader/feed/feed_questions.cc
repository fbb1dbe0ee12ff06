#include "reader/feed/feed_questions.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "reader/feed/feed_pages.h"
#include "reader/feed/post_tables.h"
#include "reader/posts/post_json.h"

namespace fanfold::reader {
namespace {

// All whose posts are in the feed, each once.
Result<std::vector<UserId>> AuthorsOf(const FeedOf& of, ShardedLists& lists,
                                      const Deployment& deployment) {
  std::vector<UserId> authors;
  PageStart start;
  bool more = true;
  while (more) {
    const Result<ListReader*> reader = lists.ListsOn(deployment.placement.ShardOf(of.owner));
    if (!reader) return std::unexpected(reader.error());
    const Result<std::vector<ListedUser>> page =
        of.friends_alone
            ? (*reader)->FriendsPage(deployment.read, of.owner, start, ListReader::kPageMax)
            : (*reader)->Page(Direction::kFollowing, deployment.read[Direction::kFollowing],
                              of.owner, start, ListReader::kPageMax);
    if (!page) return std::unexpected(page.error());
    std::ranges::transform(*page, std::back_inserter(authors), &ListedUser::user);
    more = page->size() == ListReader::kPageMax;
    if (more) start.after = page->back();
  }
  if (of.with_self) authors.push_back(of.owner);
  if (authors.size() > ListReader::kPageMax) {
    std::ranges::sort(authors);
    const auto repeats = std::ranges::unique(authors);
    authors.erase(repeats.begin(), repeats.end());
  }
  return authors;
}

class OfFeed : public LiveQuestion {
 public:
  OfFeed(const FeedMemory& memory, const FeedOf& of) : memory_(memory), of_(of) {}

  ListsOfUser lists() const override {
    return {of_.owner, {.following = true, .fans = of_.friends_alone}};
  }
  Projection projection() const override { return projections::kPosts; }
  const ReaderPosition& position() const override { return memory_.posts; }

 protected:
  [[nodiscard]] const FeedOf& of() const noexcept { return of_; }
  [[nodiscard]] const FeedMemory& memory() const noexcept { return memory_; }

 private:
  const FeedMemory memory_;
  const FeedOf of_;
};

Generation GenerationOf(const Deployment& deployment) {
  return deployment.read[projections::kPosts];
}

// A page of posts, with what stands behind its items.
class OfPage : public OfFeed {
 public:
  using OfFeed::OfFeed;

  Result<LiveAnswer> Ask(ShardedLists& lists, const Deployment& deployment, const ExpandFrom& from,
                         const Expand& expand) const override {
    const Result<std::vector<UserId>> authors = AuthorsOf(of(), lists, deployment);
    if (!authors) return std::unexpected(authors.error());
    PostTables tables(from.tables);
    FeedPages pages(memory().posts, memory().contents, tables, deployment.placement,
                    GenerationOf(deployment), ListFetcher::kAheadWaitMs);
    Result<ToldPage> told = pages.Ask(
        *authors, [this](std::span<const AuthorRuns> runs) { return Merge(runs); }, from.memory);
    if (!told) return Forward(told);
    Result<std::string> items = ItemsOf(*told, expand);
    if (!items) return Forward(items);
    std::string json = R"({"items":[)" + *items + "],";
    AppendRest(json, told->page);
    json += '}';
    return LiveAnswer{std::move(json), told->as_tables_are};
  }

 private:
  [[nodiscard]] virtual FeedPage Merge(std::span<const AuthorRuns> runs) const = 0;
  virtual void AppendRest(std::string& json, const FeedPage& page) const = 0;

  static Result<std::string> ItemsOf(const ToldPage& told, const Expand& expand) {
    const std::vector<FeedKey>& keys = told.page.keys;
    Result<std::vector<std::string>> members = std::vector<std::string>(keys.size());
    if (expand) {
      std::vector<UserId> authors;
      std::ranges::transform(keys, std::back_inserter(authors), &FeedKey::author);
      members = expand(authors);
      if (!members) return std::unexpected(members.error());
    }
    std::string json;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) json += ',';
      AppendJson(json, {keys[i].author, keys[i].InAuthor(), told.contents[i]->type},
                 told.contents[i]->content, (*members)[i]);
    }
    return json;
  }
};

std::string CursorJson(const std::optional<FeedKey>& key) {
  return key ? '"' + EncodeFeedCursor(*key) + '"' : "null";
}

class PageOfFeed final : public OfPage {
 public:
  PageOfFeed(const FeedMemory& memory, const FeedOf& of, const FeedQuery& query)
      : OfPage(memory, of), query_(query) {}

 private:
  FeedPage Merge(std::span<const AuthorRuns> runs) const override {
    return MergeFeed(runs, query_);
  }
  void AppendRest(std::string& json, const FeedPage& page) const override {
    const bool empty = page.keys.empty();
    fmt::format_to(
        std::back_inserter(json), R"("after":{},"before":{},"has_older":{},"has_newer":{})",
        CursorJson(empty ? query_.cursor : page.keys.back()),
        CursorJson(empty ? query_.cursor : page.keys.front()), page.has_older, page.has_newer);
  }

  const FeedQuery query_;
};

class LatestOfFeed final : public OfPage {
 public:
  LatestOfFeed(const FeedMemory& memory, const FeedOf& of, const std::optional<FeedKey>& after,
               std::size_t limit)
      : OfPage(memory, of), query_{.cursor = after, .limit = limit} {}

 private:
  FeedPage Merge(std::span<const AuthorRuns> runs) const override {
    return MergeLatest(runs, query_, [](const FeedKey&) { return false; });
  }
  void AppendRest(std::string& json, const FeedPage& page) const override {
    const bool more = page.has_older && !page.keys.empty();
    json += R"("next_cursor":)" + CursorJson(more ? std::optional(page.keys.back()) : std::nullopt);
  }

  const FeedQuery query_;
};

class UnreadOfFeed final : public OfFeed {
 public:
  UnreadOfFeed(const FeedMemory& memory, const FeedOf& of, const FeedKey& since)
      : OfFeed(memory, of), since_(since) {}

  Result<LiveAnswer> Ask(ShardedLists& lists, const Deployment& deployment, const ExpandFrom& from,
                         const Expand& /*expand*/) const override {
    const Result<std::vector<UserId>> authors = AuthorsOf(of(), lists, deployment);
    if (!authors) return std::unexpected(authors.error());
    PostTables tables(from.tables);
    FeedReader reader(memory().posts, tables, deployment.placement, GenerationOf(deployment),
                      ListFetcher::kAheadWaitMs);
    const auto count = [this](std::span<const AuthorRuns> runs) {
      return CountUnread(runs, since_);
    };
    const Result<Unread> unread =
        from.memory ? reader.Ask(*authors, count) : reader.AskTables(*authors, count);
    if (!unread) return std::unexpected(unread.error());
    return LiveAnswer{fmt::format(R"({{"count":{},"more":{}}})", unread->count, unread->more),
                      reader.as_tables_are()};
  }

 private:
  const FeedKey since_;
};

}  // namespace

LiveQuestionPtr NewFeedPage(const FeedMemory& memory, const FeedOf& of, const FeedQuery& query) {
  return std::make_shared<PageOfFeed>(memory, of, query);
}

LiveQuestionPtr NewUnread(const FeedMemory& memory, const FeedOf& of, const FeedKey& since) {
  return std::make_shared<UnreadOfFeed>(memory, of, since);
}

LiveQuestionPtr NewLatest(const FeedMemory& memory, const FeedOf& of,
                          const std::optional<FeedKey>& after, std::size_t limit) {
  return std::make_shared<LatestOfFeed>(memory, of, after, limit);
}

}  // namespace fanfold::reader
