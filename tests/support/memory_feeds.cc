#include "tests/support/memory_feeds.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

namespace fanfold::testing {

std::vector<ShownPost> ShownBy(const std::vector<FeedRow>& rows) {
  std::vector<ShownPost> shown;
  for (const FeedRow& row : rows) {
    if (row.active && row.author != UserId(0)) {
      shown.push_back({row.author, row.post_id, row.version});
    }
  }
  std::ranges::sort(shown, {}, &ShownPost::version);
  std::set<std::pair<UserId, PostId>> seen;
  std::erase_if(
      shown, [&](const ShownPost& post) { return !seen.insert({post.author, post.post}).second; });
  std::ranges::reverse(shown);
  return shown;
}

std::vector<FeedRow> MemoryShownReader::RowsOf(Generation generation, UserId owner) const {
  std::vector<FeedRow> rows;
  for (const auto& [id, row] : tables_.shown) {
    if (id.first == generation && id.second.user == owner && row.active) rows.push_back(row);
  }
  std::ranges::sort(rows, std::greater(), &FeedRow::version);
  return rows;
}

Result<ShownPage> MemoryShownReader::Page(Generation generation, UserId owner, Version before,
                                          std::size_t rows) {
  std::vector<FeedRow> looked_at = RowsOf(generation, owner);
  const std::vector<ShownPost> shown = ShownBy(looked_at);
  std::erase_if(looked_at, [&](const FeedRow& row) { return row.version >= before; });
  if (looked_at.size() > rows) looked_at.resize(rows);
  ShownPage page;
  page.rows = looked_at.size();
  if (!looked_at.empty()) page.last = looked_at.back().version;
  std::ranges::copy_if(shown, std::back_inserter(page.posts), [&](const ShownPost& post) {
    return post.version < before && post.version >= page.last;
  });
  return page;
}

Result<std::vector<bool>> MemoryShownReader::WereShown(Generation generation, UserId owner,
                                                       std::span<const RowKey> posts) {
  const std::vector<ShownPost> shown = ShownBy(RowsOf(generation, owner));
  std::vector<bool> were;
  for (const RowKey& key : posts) {
    were.push_back(std::ranges::any_of(shown, [&](const ShownPost& post) {
      return RowKey{post.author, UserId(post.post.value)} == key;
    }));
  }
  return were;
}

Result<std::optional<InboxView>> MemoryShownReader::Inbox(const InboxQuestion& question) {
  const auto at = tables_.inboxes.find(question.of);
  return at == tables_.inboxes.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace fanfold::testing
