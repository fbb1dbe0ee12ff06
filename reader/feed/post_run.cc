#include "reader/feed/post_run.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <iterator>

namespace fanfold::reader {
namespace {

static_assert(std::endian::native == std::endian::little, "the low bytes of a number come first");

constexpr std::uint64_t kNarrowIdMax = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kNarrowScoreBytes = 5;
constexpr std::int64_t kNarrowSpan = std::int64_t{1} << (8 * kNarrowScoreBytes);
constexpr std::uint64_t kNarrowScoreMask = static_cast<std::uint64_t>(kNarrowSpan) - 1;

// Room for a few more, so that not every post packs anew.
std::size_t RoomFor(std::size_t posts) { return posts + posts / 8 + 2; }

template <class T>
T ReadAt(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

bool IsWithinSpan(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) <= kNarrowScoreMask;
}

}  // namespace

PostRun::PostRun(PostPlace low, PostPlace high, std::span<const PostPlace> ascending)
    : low_(low), high_(high) {
  Pack(ascending, ascending.size());
}

PostRun PostRun::Below(PostPlace high, std::span<const PostPlace> descending, std::size_t asked) {
  const std::vector<PostPlace> ascending(descending.rbegin(), descending.rend());
  return {ascending.size() < asked ? kBelowAll : ascending.front(), high, ascending};
}

PostRun PostRun::AtOrAbove(PostPlace low, std::span<const PostPlace> ascending, std::size_t asked) {
  return {low, ascending.size() < asked ? kAboveAll : Next(ascending.back()), ascending};
}

PostRun PostRun::Joined(const PostRun& a, const PostRun& b) {
  std::vector<PostPlace> posts;
  posts.reserve(a.size() + b.size());
  std::ranges::set_union(a.Posts(), b.Posts(), std::back_inserter(posts));
  return {std::min(a.low_, b.low_), std::max(a.high_, b.high_), posts};
}

void PostRun::Pack(std::span<const PostPlace> ascending, std::size_t capacity) {
  wide_ids_ = std::ranges::any_of(
      ascending, [](const PostPlace& key) { return key.post.value > kNarrowIdMax; });
  base_score_ = ascending.empty() ? 0 : ascending.front().score;
  wide_scores_ = !ascending.empty() && !IsWithinSpan(base_score_, ascending.back().score);
  capacity_ = static_cast<std::uint32_t>(capacity);
  size_ = static_cast<std::uint32_t>(ascending.size());
  memory_ = capacity_ == 0 ? nullptr : std::make_unique_for_overwrite<std::byte[]>(bytes());
  for (std::size_t place = 0; place < ascending.size(); ++place) Write(place, ascending[place]);
  if (!ascending.empty()) newest_ = ascending.back();
}

PostId PostRun::IdAt(std::size_t place) const noexcept {
  const std::byte* id = EntryAt(place) + score_bytes();
  return PostId(wide_ids_ ? ReadAt<std::uint64_t>(id) : ReadAt<std::uint32_t>(id));
}

PostPlace PostRun::At(std::size_t place) const noexcept {
  // A narrow score is read with what stands behind it: an entry has at least nine bytes.
  const auto score = ReadAt<std::uint64_t>(EntryAt(place));
  if (wide_scores_) return {static_cast<std::int64_t>(score), IdAt(place)};
  return {base_score_ + static_cast<std::int64_t>(score & kNarrowScoreMask), IdAt(place)};
}

void PostRun::Write(std::size_t place, const PostPlace& post) noexcept {
  std::byte* entry = EntryAt(place);
  const std::int64_t score = wide_scores_ ? post.score : post.score - base_score_;
  std::memcpy(entry, &score, score_bytes());
  std::memcpy(entry + score_bytes(), &post.post.value, id_bytes());
}

bool PostRun::Fits(const PostPlace& post) const noexcept {
  if (size_ == capacity_ || (!wide_ids_ && post.post.value > kNarrowIdMax)) return false;
  return wide_scores_ || (post.score >= base_score_ && IsWithinSpan(base_score_, post.score));
}

std::size_t PostRun::PlaceOf(const PostPlace& key) const noexcept {
  if (size_ == 0 || newest_ < key) return size_;
  std::size_t low = 0;
  std::size_t high = size_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (At(middle) < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::vector<PostPlace> PostRun::Posts() const {
  std::vector<PostPlace> posts;
  posts.reserve(size_ + 1);
  for (std::size_t place = 0; place < size_; ++place) posts.push_back(At(place));
  return posts;
}

void PostRun::Add(const PostPlace& post) {
  if (post < low_ || post >= high_) return;
  const std::size_t place = PlaceOf(post);
  if (place < size_ && At(place) == post) return;
  if (!Fits(post)) {
    std::vector<PostPlace> posts = Posts();
    posts.insert(posts.begin() + static_cast<std::ptrdiff_t>(place), post);
    Pack(posts, RoomFor(posts.size()));
    return;
  }
  std::memmove(EntryAt(place + 1), EntryAt(place), (size_ - place) * entry_bytes());
  Write(place, post);
  if (place == size_) newest_ = post;
  ++size_;
}

void PostRun::Remove(PostId post) {
  std::size_t place = 0;
  while (place < size_ && IdAt(place) != post) ++place;
  if (place == size_) return;
  --size_;
  std::memmove(EntryAt(place), EntryAt(place + 1), (size_ - place) * entry_bytes());
  if (place == size_ && size_ != 0) newest_ = At(size_ - 1);
  if (RoomFor(size_) * 2 < capacity_) Pack(Posts(), RoomFor(size_));
}

void PostRun::Move(const PostMove& move) {
  if (move.is_posted) {
    Add(move.post);
  } else {
    Remove(move.post.post);
  }
}

void PostRun::KeepNewest(std::size_t posts) {
  if (size_ <= posts) return;
  const std::vector<PostPlace> all = Posts();
  const auto kept = std::span(all).last(posts);
  low_ = posts == 0 ? high_ : kept.front();
  Pack(kept, RoomFor(posts));
}

void PostRun::KeepOldest(std::size_t posts) {
  if (size_ <= posts) return;
  const std::vector<PostPlace> all = Posts();
  high_ = all[posts];
  Pack(std::span(all).first(posts), posts);
}

void PostRun::Touch() const noexcept {
  const std::atomic_ref touched(touched_);
  // A line that is only read stays with every core.
  if (touched.load(std::memory_order_relaxed) == 0) touched.store(1, std::memory_order_relaxed);
}

bool PostRun::TakeTouched() const noexcept {
  return std::atomic_ref(touched_).exchange(0, std::memory_order_relaxed) != 0;
}

}  // namespace fanfold::reader
