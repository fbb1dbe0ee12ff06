#include "projector/feed/newest_posts.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace fanfold::projector {
namespace {

constexpr PostPlace kAboveAll{std::numeric_limits<std::int64_t>::max(),
                              PostId(std::numeric_limits<std::uint64_t>::max())};

}  // namespace

NewestPosts::NewestPosts(std::span<const UserId> authors, std::size_t length)
    : length_(length),
      asked_(std::clamp<std::size_t>(2 * length / std::max<std::size_t>(1, authors.size()), 1,
                                     kAskedMax)) {
  for (const UserId author : authors) authors_.push_back({author, kAboveAll});
}

InboxEntry NewestPosts::floor() const {
  InboxEntry floor = kInboxWhole;
  for (const Author& one : authors_) {
    if (one.has_more) floor = std::max(floor, {one.below.score, one.author, one.below.post});
  }
  return floor;
}

std::vector<PostStretch> NewestPosts::Missing() const {
  // Whatever is below this one of the posts that are known is not among the newest.
  const InboxEntry last = posts_.size() < length_ ? kInboxWhole : posts_[length_ - 1];
  std::vector<PostStretch> missing;
  for (const Author& one : authors_) {
    const InboxEntry below{one.below.score, one.author, one.below.post};
    if (one.has_more && below > last) {
      missing.push_back({one.author, PostStretch::Side::kBelow, one.below});
    }
  }
  return missing;
}

void NewestPosts::Take(std::span<const PostStretch> missing,
                       std::span<const std::vector<PostPlace>> told) {
  auto at = authors_.begin();
  for (std::size_t i = 0; i < missing.size(); ++i) {
    at = std::ranges::find(at, authors_.end(), missing[i].author, &Author::author);
    for (const PostPlace& place : told[i]) {
      posts_.push_back({place.score, at->author, place.post});
      at->below = place;
    }
    at->has_more = told[i].size() == asked_;
  }
  std::ranges::sort(posts_, std::greater());
  asked_ = std::min(2 * asked_, kAskedMax);
}

}  // namespace fanfold::projector
