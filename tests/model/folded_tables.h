// The tables in memory, moved by the rules under test as a projector moves them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/relation/edge.h"
#include "common/stream/slot.h"
#include "tests/unit/relation/printing.h"

namespace fanfold {

enum class Side : std::uint8_t { kFollowing, kFans };

// One projection's rows, by (whose list, who is listed), and counts.
class FoldedTable {
 public:
  explicit FoldedTable(Side side) : side_(side) {}

  void Fold(const Outcome& outcome) {
    if (outcome.kind == OutcomeKind::kParked) return;
    const bool following = side_ == Side::kFollowing;
    const UserId user = following ? outcome.subject : outcome.object;
    const UserId other = following ? outcome.object : outcome.subject;
    const EdgeChange change = Apply(EdgeOf(user, other), outcome);
    if (!change.changed) return;
    rows_[{user, other}] = change.edge;
    counts_[user] += change.delta;
  }

  void Fold(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes) Fold(outcome);
  }

  [[nodiscard]] Edge EdgeOf(UserId user, UserId other) const {
    const auto row = rows_.find({user, other});
    return row == rows_.end() ? Edge() : row->second;
  }

  [[nodiscard]] EdgeCount CountOf(UserId user) const {
    const auto count = counts_.find(user);
    return EdgeCount(count == counts_.end() ? 0 : count->second);
  }

  // The counts as the active rows say them, users without any included as far as counted.
  [[nodiscard]] bool CountsEqualRows() const {
    std::map<UserId, std::int64_t> active;
    for (const auto& [user, count] : counts_) active[user] = 0;
    for (const auto& [key, edge] : rows_) active[key.first] += edge.active ? 1 : 0;
    for (const auto& [key, edge] : rows_) {
      if (!counts_.contains(key.first)) return false;
    }
    return active == counts_;
  }

  // Who is listed for whom, since when.
  [[nodiscard]] std::map<UserId, std::map<UserId, std::int64_t>> Listed() const {
    std::map<UserId, std::map<UserId, std::int64_t>> listed;
    for (const auto& [key, edge] : rows_) {
      if (edge.active) listed[key.first][key.second] = edge.since_ms;
    }
    return listed;
  }

  using Rows = std::map<std::pair<UserId, UserId>, Edge>;
  [[nodiscard]] const Rows& rows() const { return rows_; }

  // The rows as the other projection keys them.
  [[nodiscard]] Rows Mirrored() const {
    Rows mirrored;
    for (const auto& [key, edge] : rows_) mirrored[{key.second, key.first}] = edge;
    return mirrored;
  }

  friend bool operator==(const FoldedTable&, const FoldedTable&) = default;

 private:
  Side side_;
  Rows rows_;
  std::map<UserId, std::int64_t> counts_;
};

// The deciding lanes of all partitions: events in, outcomes out, the following table with them.
class Decider {
 public:
  explicit Decider(FollowLimit limit) : limit_(limit) {}

  Outcome Take(const Event& event) {
    const Partition partition = placement_.PartitionOf(event.subject);
    const Position position{partition, next_[partition]};
    next_[partition] = Next(position.offset);
    Outcome outcome = Decide(table_.EdgeOf(event.subject, event.object),
                             table_.CountOf(event.subject), event, position, limit_);
    table_.Fold(outcome);
    return outcome;
  }

  [[nodiscard]] const FoldedTable& table() const { return table_; }

 private:
  FollowLimit limit_;
  Placement placement_ = Placement::Modulo({2, 1});
  FoldedTable table_{Side::kFollowing};
  std::map<Partition, Offset> next_;
};

}  // namespace fanfold
