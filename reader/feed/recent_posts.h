// The latest outcomes that made or ended a post, kept by author. They bring what was fetched to the
// reader's position. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/stream/ids.h"
#include "common/stream/position.h"
#include "reader/feed/post_run.h"

namespace fanfold::reader {

// Thread-compatible. Every move of partition p with floor(p) ≤ offset < next(p) is held.
class RecentPosts {
 public:
  // The bytes that a move takes, and an author of some.
  static constexpr std::size_t kMoveBytes = 64;
  static constexpr std::size_t kAuthorBytes = 48;

  RecentPosts(std::int32_t partitions, std::size_t bytes_max);

  // Forgets everything; partition p goes on at next[p].
  void StartAt(const std::vector<Offset>& next);
  // The outcome of the event at next(p), which goes up by one; nothing: it moved no post. The
  // oldest moves leave when there are too many.
  void Push(Position position, const std::optional<PostMove>& move);
  // Every table holds the events below this, so no older view will be asked for.
  void Trim(Partition partition, Offset below);

  [[nodiscard]] Offset next(Partition partition) const { return At(partition).next; }
  [[nodiscard]] Offset floor(Partition partition) const { return At(partition).floor; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return moves_.size() * kMoveBytes + latest_.size() * kAuthorBytes;
  }

  // Moves are numbered from the first one ever held.
  using Number = std::uint64_t;
  // The number of the next move.
  [[nodiscard]] Number end() const noexcept { return first_ + moves_.size(); }
  // The number of the oldest held move, or end().
  [[nodiscard]] Number begin() const noexcept { return first_; }

  // The author's moves at or above this offset of the author's partition, or from this number on,
  // in log order. Nothing when they are more than `most`. Requires: floor(p) ≤ from and
  // begin() ≤ from.
  [[nodiscard]] std::optional<std::vector<PostMove>> Since(UserId author, Offset from,
                                                           std::size_t most) const;
  [[nodiscard]] std::optional<std::vector<PostMove>> SinceNumber(UserId author, Number from,
                                                                 std::size_t most) const;

 private:
  static constexpr Number kNone = 0;

  struct Entry {
    PostMove move;
    Position position;
    Number before = kNone;  // the author's move before this one
  };
  static_assert(sizeof(Entry) <= kMoveBytes);
  struct Bounds {
    Offset floor;
    Offset next;
    Offset trimmed;
  };

  [[nodiscard]] const Bounds& At(Partition partition) const {
    return bounds_.at(static_cast<std::size_t>(partition.value));
  }
  [[nodiscard]] Bounds& At(Partition partition) {
    return bounds_.at(static_cast<std::size_t>(partition.value));
  }
  // The author's latest moves, until one is not wanted.
  template <class Wanted>
  [[nodiscard]] std::optional<std::vector<PostMove>> Latest(UserId author, std::size_t most,
                                                            const Wanted& wanted) const;
  void DropOldest();
  void DropTrimmed();

  const std::size_t moves_max_;
  std::vector<Bounds> bounds_;
  std::deque<Entry> moves_;
  Number first_ = 1;  // the number of moves_.front()
  std::unordered_map<UserId, Number> latest_;
};

}  // namespace fanfold::reader
