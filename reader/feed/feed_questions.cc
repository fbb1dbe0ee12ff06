#include "reader/feed/feed_questions.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/shown_reader.h"
#include "reader/feed/feed_pages.h"
#include "reader/feed/post_tables.h"
#include "reader/feed/shown_posts.h"
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
  // To be asked once it is known whom the owner follows.
  [[nodiscard]] PostTables TablesOf(const ExpandFrom& from, const Deployment& deployment) const {
    const auto relations = memory_.relations.Next(deployment.placement.PartitionOf(of_.owner));
    if (!relations) return PostTables(from.tables);
    return PostTables(from.tables, InboxAsked{of_.owner, deployment, *relations});
  }

 private:
  const FeedMemory memory_;
  const FeedOf of_;
};

Generation GenerationOf(const Deployment& deployment) {
  return deployment.read[projections::kPosts];
}

// As JSON they may be six times as much, which takes a millisecond.
constexpr std::size_t kAtOnceBytesMax = std::size_t{32} << 10;

std::size_t BytesOf(const ToldPage& told) {
  std::size_t bytes = 0;
  for (const PostContentPtr& content : told.contents) bytes += content->content.size();
  return bytes;
}

// A page of posts, with what stands behind its items.
class OfPage : public OfFeed {
 public:
  using OfFeed::OfFeed;

  Result<LiveAnswer> Ask(ShardedLists& lists, const Deployment& deployment, const ExpandFrom& from,
                         const Expand& expand) const override {
    const Result<std::vector<UserId>> authors = AuthorsOf(of(), lists, deployment);
    if (!authors) return std::unexpected(authors.error());
    PostTables tables = TablesOf(from, deployment);
    FeedPages pages(memory().posts, memory().contents, tables, deployment.placement,
                    GenerationOf(deployment), ListFetcher::kAheadWaitMs);
    Result<ToldPage> told = Tell({pages, tables, *authors, deployment, from});
    if (!told) return Forward(told);
    if (from.is_head) return LiveAnswer{{}, told->as_tables_are};
    if (from.at_once && BytesOf(*told) > kAtOnceBytesMax) {
      return Fail(ErrorCode::kUnavailable, "too long to be told at once");
    }
    Result<std::string> items = ItemsOf(*told, expand);
    if (!items) return Forward(items);
    std::string json = R"({"items":[)" + *items + "],";
    AppendRest(json, told->page);
    json += '}';
    return LiveAnswer{std::move(json), told->as_tables_are};
  }

 protected:
  // What a page is made of.
  struct Asking {
    FeedPages& pages;
    PostTables& posts;
    const std::vector<UserId>& authors;
    const Deployment& deployment;
    const ExpandFrom& from;
  };

 private:
  [[nodiscard]] virtual Result<ToldPage> Tell(const Asking& asking) const = 0;
  virtual void AppendRest(std::string& json, const FeedPage& page) const = 0;

  static Result<std::string> ItemsOf(const ToldPage& told, const Expand& expand) {
    std::vector<PostItem> posts;
    for (std::size_t i = 0; i < told.page.keys.size(); ++i) {
      const FeedKey& key = told.page.keys[i];
      posts.push_back(
          {{key.author, key.InAuthor(), told.contents[i]->type}, told.contents[i]->content});
    }
    return ItemsJson(posts, expand);
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
  Result<ToldPage> Tell(const Asking& asking) const override {
    return asking.pages.Ask(
        asking.authors,
        [this](std::span<const AuthorRuns> runs) { return MergeFeed(runs, query_); },
        asking.from.memory);
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
      : OfPage(memory, of), after_(after), limit_(limit) {}

  Result<LiveAnswer> Ask(ShardedLists& lists, const Deployment& deployment, const ExpandFrom& from,
                         const Expand& expand) const override {
    if (from.tables == nullptr) return Fail(ErrorCode::kUnavailable, "memory alone does not do");
    return OfPage::Ask(lists, deployment, from, expand);
  }

  std::vector<LanesRead> tables(const Placement& placement) const override {
    return {LanesOfUser(projections::kFeed, of().owner, placement)};
  }

 private:
  // How often a page is made again because it has posts that came meanwhile, and were shown.
  static constexpr std::size_t kTriesMax = 4;
  // How much further is looked each time that too many of the newest posts were shown.
  static constexpr std::size_t kGrowth = 4;

  // One more than the page has tells whether more come.
  Result<ToldPage> Tell(const Asking& asking) const override {
    ShownPosts shown(*asking.from.tables, asking.deployment, of().owner);
    for (std::size_t tries = 0; tries < kTriesMax; ++tries) {
      if (Status looked = LookAhead(asking, shown); !looked) return Forward(looked);
      Result<ToldPage> told = asking.pages.Ask(
          asking.authors,
          [&](std::span<const AuthorRuns> runs) {
            return Merge(runs, limit_ + 1, [&](const FeedKey& key) { return shown.Contain(key); });
          },
          asking.from.memory);
      if (!told) return Forward(told);
      // Of those that came since.
      if (Status asked = shown.AskFor(told->page.keys); !asked) return Forward(asked);
      if (shown.ContainAny(told->page.keys)) continue;
      told->page.has_older = told->page.keys.size() > limit_;
      if (told->page.has_older) {
        told->page.keys.pop_back();
        told->contents.pop_back();
      }
      return told;
    }
    return Fail(ErrorCode::kUnavailable, "what was shown comes faster than it is asked for");
  }

  // Asks which posts were shown, from the newest on, until the page is full or there are no more.
  Status LookAhead(const Asking& asking, ShownPosts& shown) const {
    FeedReader reader(memory().posts, asking.posts, asking.deployment.placement,
                      GenerationOf(asking.deployment), ListFetcher::kAheadWaitMs);
    for (std::size_t ahead = limit_ + 1;; ahead *= kGrowth) {
      const auto make = [&](std::span<const AuthorRuns> runs) {
        return Merge(runs, ahead, [](const FeedKey&) { return false; });
      };
      const Result<FeedPage> page = asking.from.memory ? reader.Ask(asking.authors, make)
                                                       : reader.AskTables(asking.authors, make);
      if (!page) return std::unexpected(page.error());
      if (Status asked = shown.AskFor(page->keys); !asked) return asked;
      const auto left = std::ranges::count_if(
          page->keys, [&](const FeedKey& key) { return !shown.Contain(key); });
      if (std::cmp_greater(left, limit_) || !page->has_older) return {};
    }
  }

  [[nodiscard]] FeedPage Merge(std::span<const AuthorRuns> runs, std::size_t limit,
                               const IsLeftOut& is_left_out) const {
    return MergeLatest(runs, {.cursor = after_, .limit = limit}, is_left_out);
  }
  void AppendRest(std::string& json, const FeedPage& page) const override {
    const bool more = page.has_older && !page.keys.empty();
    json += R"("next_cursor":)" + CursorJson(more ? std::optional(page.keys.back()) : std::nullopt);
  }

  const std::optional<FeedKey> after_;
  const std::size_t limit_;
};

class UnreadOfFeed final : public OfFeed {
 public:
  UnreadOfFeed(const FeedMemory& memory, const FeedOf& of, const FeedKey& since)
      : OfFeed(memory, of), since_(since) {}

  Result<LiveAnswer> Ask(ShardedLists& lists, const Deployment& deployment, const ExpandFrom& from,
                         const Expand& /*expand*/) const override {
    const Result<std::vector<UserId>> authors = AuthorsOf(of(), lists, deployment);
    if (!authors) return std::unexpected(authors.error());
    PostTables tables = TablesOf(from, deployment);
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
