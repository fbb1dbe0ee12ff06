// The latest outcomes that moved an edge, kept by user. They bring a view of the tables forward to
// the reader's position. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "common/ports/lane.h"
#include "common/stream/ids.h"
#include "reader/cache/edge_move.h"

namespace fanfold::reader {

// Thread-compatible. Every move of partition p with floor(p) ≤ offset < next(p) is held.
class RecentMoves {
 public:
  // The bytes that a move takes, its part of the two indexes included.
  static constexpr std::size_t kMoveBytes = 192;

  RecentMoves(std::int32_t partitions, std::size_t bytes_max);

  // Forgets everything; partition p goes on at next[p].
  void StartAt(const std::vector<Offset>& next);
  // The outcome of the event at next(p), which goes up by one; nothing: it moved no edge. The
  // oldest moves leave when there are too many.
  void Push(Position position, const std::optional<EdgeMove>& move);
  // Every table holds the events below this, so no older view will be asked for.
  void Trim(Partition partition, Offset below);

  [[nodiscard]] Offset next(Partition partition) const { return At(partition).next; }
  [[nodiscard]] Offset floor(Partition partition) const { return At(partition).floor; }
  [[nodiscard]] std::size_t bytes() const noexcept { return moves_.size() * kMoveBytes; }

  // Moves are numbered from the first one ever held.
  using Number = std::uint64_t;
  // The number of the next move.
  [[nodiscard]] Number end() const noexcept { return first_ + moves_.size(); }

  static constexpr Number kNone = 0;

  using Wanted = std::function<bool(const EdgeMove&)>;
  // A way back through the moves of one list, which may be taken in steps. Moves that come
  // meanwhile are not on it; moves that leave end it.
  struct WayBack {
    Direction list = Direction::kFollowing;
    Number next = kNone;
  };
  [[nodiscard]] WayBack Back(Direction list, UserId user) const;
  // Looks at up to `most` moves with numbers from `from` on and appends those wanted, newest first.
  // True: there are more.
  [[nodiscard]] bool GoBack(WayBack& way, Number from, std::size_t most, const Wanted& wanted,
                            std::vector<EdgeMove>& moves) const;
  // The moves of the list from this number on, by partition in the log's order. Nothing when some
  // have left, or when they are more than `most`.
  [[nodiscard]] std::optional<std::vector<EdgeMove>> MovesSince(Direction list, UserId user,
                                                                Number from,
                                                                std::size_t most) const;

 private:
  struct Entry {
    EdgeMove move;
    Number before_of_subject = kNone;  // the subject's move before this one
    Number before_of_object = kNone;
  };
  struct Bounds {
    Offset floor;
    Offset next;
    Offset trimmed;
  };
  using Latest = std::unordered_map<UserId, Number>;

  [[nodiscard]] const Bounds& At(Partition partition) const {
    return bounds_.at(static_cast<std::size_t>(partition.value));
  }
  [[nodiscard]] Bounds& At(Partition partition) {
    return bounds_.at(static_cast<std::size_t>(partition.value));
  }
  void DropOldest();
  void DropTrimmed();

  const std::size_t moves_max_;
  std::vector<Bounds> bounds_;
  std::deque<Entry> moves_;
  Number first_ = 1;  // the number of moves_.front()
  Latest by_subject_;
  Latest by_object_;
};

}  // namespace fanfold::reader
