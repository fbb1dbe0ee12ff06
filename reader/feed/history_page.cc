#include "reader/feed/history_page.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/ports/post_reader.h"
#include "common/ports/shown_reader.h"
#include "common/stream/cursor_text.h"
#include "reader/posts/post_json.h"

namespace fanfold::reader {
namespace {

struct HistoryItem {
  Version shown;
  UserId author;
  ListedPost post;
};

// Of one page; one thread.
class HistoryWalk {
 public:
  HistoryWalk(ShardedReader& tables, const Deployment& deployment, UserId owner, Version before)
      : tables_(tables), deployment_(deployment), owner_(owner), before_(before) {}

  // Goes on until there are so many items, or no more rows, or it has looked at kHistoryRowsMax.
  // Errors: the reader's.
  Status Until(std::size_t items) {
    for (std::size_t step = items;
         !at_end_ && items_.size() < items && looked_at_ < kHistoryRowsMax;
         step = std::min(2 * step, ShownReader::kRowsMax)) {
      if (Status stepped = Step(step); !stepped) return stepped;
    }
    return {};
  }
  [[nodiscard]] std::vector<HistoryItem>& items() noexcept { return items_; }
  // Behind which it goes on; nothing: it does not.
  [[nodiscard]] std::optional<Version> next() const {
    return at_end_ ? std::nullopt : std::optional(before_);
  }

 private:
  Status Step(std::size_t rows) {
    const Result<ProjectionReader*> reader = tables_.On(deployment_.placement.ShardOf(owner_));
    if (!reader) return std::unexpected(reader.error());
    const Result<ShownPage> page =
        OpenShown(**reader)->Page(deployment_.read[projections::kFeed], owner_, before_, rows);
    if (!page) return std::unexpected(page.error());
    looked_at_ += page->rows;
    at_end_ = page->rows < rows;
    before_ = page->last;
    return TakeThoseThere(page->posts);
  }

  // One statement a shard.
  Status TakeThoseThere(const std::vector<ShownPost>& shown) {
    std::map<Shard, std::vector<std::size_t>> places;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      places[deployment_.placement.ShardOf(shown[i].author)].push_back(i);
    }
    std::vector<std::optional<ListedPost>> found(shown.size());
    for (const auto& [shard, of_shard] : places) {
      const Result<ProjectionReader*> reader = tables_.On(shard);
      if (!reader) return std::unexpected(reader.error());
      std::vector<RowKey> keys;
      for (const std::size_t place : of_shard) {
        keys.push_back(KeyOf(shown[place].author, shown[place].post));
      }
      Result<PostsView> view =
          OpenPosts(**reader)->Among(deployment_.read[projections::kPosts], keys);
      if (!view) return Forward(view);
      for (std::size_t i = 0; i < of_shard.size(); ++i) {
        found[of_shard[i]] = std::move(view->posts[i]);
      }
    }
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (found[i]) items_.push_back({shown[i].version, shown[i].author, *std::move(found[i])});
    }
    return {};
  }

  ShardedReader& tables_;
  const Deployment& deployment_;
  const UserId owner_;
  Version before_;
  bool at_end_ = false;
  std::size_t looked_at_ = 0;
  std::vector<HistoryItem> items_;
};

class HistoryPage final : public TableQuestion {
 public:
  HistoryPage(UserId owner, std::optional<Version> before, std::size_t limit)
      : owner_(owner), before_(before), limit_(limit) {}

  std::vector<LanesRead> lanes(const Placement& placement) const override {
    std::vector<LanesRead> lanes = {LanesOfUser(projections::kFeed, owner_, placement)};
    AddEverywhere(lanes, projections::kPosts, placement);
    return lanes;
  }

  Result<std::optional<std::string>> Ask(ShardedReader& tables, const Deployment& deployment,
                                         const Expand& expand) const override {
    HistoryWalk walk(tables, deployment, owner_, before_.value_or(ShownReader::kAboveAll));
    // One more tells that more come.
    if (Status walked = walk.Until(limit_ + 1); !walked) return Forward(walked);
    std::vector<HistoryItem>& items = walk.items();
    std::optional<Version> next = walk.next();
    if (items.size() > limit_) {
      items.erase(items.begin() + static_cast<std::ptrdiff_t>(limit_), items.end());
      next = items.back().shown;
    }
    Result<std::string> json = JsonOf(items, expand);
    if (!json) return Forward(json);
    return R"({"items":[)" + *json + R"(],"next_cursor":)" +
           (next ? '"' + EncodeHistoryCursor(*next) + '"' : "null") + '}';
  }

 private:
  static Result<std::string> JsonOf(const std::vector<HistoryItem>& items, const Expand& expand) {
    std::vector<PostItem> posts;
    posts.reserve(items.size());
    for (const HistoryItem& item : items) {
      posts.push_back({{item.author, item.post.place, item.post.post_type}, item.post.content});
    }
    return ItemsJson(posts, expand);
  }

  const UserId owner_;
  const std::optional<Version> before_;
  const std::size_t limit_;
};

}  // namespace

QuestionPtr NewHistoryPage(UserId owner, std::optional<Version> before, std::size_t limit) {
  return std::make_shared<HistoryPage>(owner, before, limit);
}

std::string EncodeHistoryCursor(Version before) {
  return EncodeCursorText(std::array{static_cast<std::uint64_t>(before.value)});
}

std::optional<Version> DecodeHistoryCursor(std::string_view text) noexcept {
  std::array<std::uint64_t, 1> numbers{};
  if (!DecodeCursorText(text, numbers)) return std::nullopt;
  return Version(static_cast<std::int64_t>(numbers[0]));
}

}  // namespace fanfold::reader
