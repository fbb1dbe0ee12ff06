// One author's posts between two bounds, packed. Pure.
//
// An entry takes 4 or 8 bytes for the id and 5 or 8 for the score: 9 with ids below 2^32 and scores
// within 34 years of each other, 13 with any ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reader/feed/feed_key.h"

namespace fanfold::reader {

// An author's newest posts are held as so many, and cut to as many again when they have grown to
// more than kNewestMax.
inline constexpr std::size_t kNewestHeld = 32;
inline constexpr std::size_t kNewestMax = 64;

// The effect of an outcome on a post.
struct PostMove {
  UserId author;
  PostPlace post;
  bool is_posted = false;  // else deleted; then the id alone is looked at
};

// Every undeleted post with low ≤ key < high is in the run, and no other.
//
// Thread-compatible; Touch and TakeTouched may be called beside anything const.
class PostRun {
 public:
  // Requires: posts ascend, are unique and stand between the bounds; low ≤ high.
  PostRun(PostPlace low, PostPlace high, std::span<const PostPlace> ascending);
  // An author's newest posts below `high`, after asking for `asked` of them.
  [[nodiscard]] static PostRun Below(PostPlace high, std::span<const PostPlace> descending,
                                     std::size_t asked);
  // An author's oldest posts at or above `low`, after asking for `asked` of them.
  [[nodiscard]] static PostRun AtOrAbove(PostPlace low, std::span<const PostPlace> ascending,
                                         std::size_t asked);
  // All posts of two runs that touch or overlap, at one position.
  [[nodiscard]] static PostRun Joined(const PostRun& a, const PostRun& b);
  [[nodiscard]] PostRun Clone() const { return {low_, high_, Posts()}; }

  [[nodiscard]] const PostPlace& low() const noexcept { return low_; }
  [[nodiscard]] const PostPlace& high() const noexcept { return high_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  // Nothing is left to tell which of the author's posts comes first below `high`.
  [[nodiscard]] bool IsSpent() const noexcept { return empty() && low_ != kBelowAll; }
  // Does no post find room between the two?
  [[nodiscard]] bool Touches(const PostRun& other) const noexcept {
    return low_ <= other.high_ && other.low_ <= high_;
  }
  // Memory that it takes, its own object left out.
  [[nodiscard]] std::size_t bytes() const noexcept { return capacity_ * entry_bytes(); }

  // Places count from the oldest. Requires: place < size().
  [[nodiscard]] PostPlace At(std::size_t place) const noexcept;
  // Requires: not empty.
  [[nodiscard]] const PostPlace& Newest() const noexcept { return newest_; }
  // How many posts stand below the key.
  [[nodiscard]] std::size_t PlaceOf(const PostPlace& key) const noexcept;

  // A post outside the bounds, or one that is there, changes nothing.
  void Add(const PostPlace& post);
  // Nothing happens when it is not there.
  void Remove(PostId post);
  // Requires: the author is the run's.
  void Move(const PostMove& move);
  // The bound moves to the last post that stays. Nothing happens when there are no more.
  void KeepNewest(std::size_t posts);
  void KeepOldest(std::size_t posts);

  // Somebody read it; was it read, or made, since this was last asked?
  void Touch() const noexcept;
  [[nodiscard]] bool TakeTouched() const noexcept;

 private:
  [[nodiscard]] std::size_t id_bytes() const noexcept { return wide_ids_ ? 8 : 4; }
  [[nodiscard]] std::size_t score_bytes() const noexcept { return wide_scores_ ? 8 : 5; }
  [[nodiscard]] std::size_t entry_bytes() const noexcept { return id_bytes() + score_bytes(); }
  [[nodiscard]] std::byte* EntryAt(std::size_t place) const noexcept {
    return memory_.get() + place * entry_bytes();
  }
  [[nodiscard]] PostId IdAt(std::size_t place) const noexcept;
  [[nodiscard]] bool Fits(const PostPlace& post) const noexcept;
  void Write(std::size_t place, const PostPlace& post) noexcept;
  [[nodiscard]] std::vector<PostPlace> Posts() const;
  void Pack(std::span<const PostPlace> ascending, std::size_t capacity);

  std::unique_ptr<std::byte[]> memory_;
  PostPlace low_;
  PostPlace high_;
  PostPlace newest_;
  std::int64_t base_score_ = 0;  // of narrow scores
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
  bool wide_ids_ = false;
  bool wide_scores_ = false;
  mutable std::uint8_t touched_ = 1;
};

}  // namespace fanfold::reader
