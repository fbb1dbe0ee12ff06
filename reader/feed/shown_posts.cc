#include "reader/feed/shown_posts.h"

#include <algorithm>
#include <vector>

#include "common/ports/post_kind.h"
#include "common/ports/shown_reader.h"

namespace fanfold::reader {

Status ShownPosts::AskFor(std::span<const FeedKey> keys) {
  std::vector<RowKey> unknown;
  for (const FeedKey& key : keys) {
    const RowKey post = KeyOf(key.author, key.post);
    if (!known_.contains(post)) unknown.push_back(post);
  }
  if (unknown.empty()) return {};
  const Result<ProjectionReader*> reader = tables_.On(deployment_.placement.ShardOf(owner_));
  if (!reader) return std::unexpected(reader.error());
  const auto rows = OpenShown(**reader);
  std::span<const RowKey> left = unknown;
  while (!left.empty()) {
    const auto piece = left.first(std::min(left.size(), ShownReader::kPostsMax));
    const Result<std::vector<bool>> were =
        rows->WereShown(deployment_.read[projections::kFeed], owner_, piece);
    if (!were) return std::unexpected(were.error());
    for (std::size_t i = 0; i < piece.size(); ++i) known_[piece[i]] = (*were)[i];
    left = left.subspan(piece.size());
  }
  return {};
}

bool ShownPosts::Contain(const FeedKey& key) const {
  const auto known = known_.find(KeyOf(key.author, key.post));
  return known != known_.end() && known->second;
}

bool ShownPosts::ContainAny(std::span<const FeedKey> keys) const {
  return std::ranges::any_of(keys, [this](const FeedKey& key) { return Contain(key); });
}

}  // namespace fanfold::reader
