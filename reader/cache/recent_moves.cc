#include "reader/cache/recent_moves.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace fanfold::reader {

RecentMoves::RecentMoves(std::int32_t partitions, std::size_t bytes_max)
    : moves_max_(bytes_max / kMoveBytes), bounds_(static_cast<std::size_t>(partitions)) {}

void RecentMoves::StartAt(const std::vector<Offset>& next) {
  FANFOLD_CHECK(next.size() == bounds_.size(), "a start for each partition");
  first_ += moves_.size();
  moves_.clear();
  by_subject_.clear();
  by_object_.clear();
  for (std::size_t p = 0; p < next.size(); ++p) bounds_[p] = {next[p], next[p], next[p]};
}

void RecentMoves::Push(Position position, const std::optional<EdgeMove>& move) {
  Bounds& bounds = At(position.partition);
  FANFOLD_CHECK(position.offset == bounds.next, "outcomes are pushed in order, without a gap");
  bounds.next = Next(bounds.next);
  if (!move) return;
  const Number number = first_ + moves_.size();
  moves_.push_back({*move, std::exchange(by_subject_[move->subject], number),
                    std::exchange(by_object_[move->object], number)});
  while (moves_.size() > moves_max_) DropOldest();
  DropTrimmed();
}

void RecentMoves::Trim(Partition partition, Offset below) {
  Bounds& bounds = At(partition);
  bounds.trimmed = std::max(bounds.trimmed, std::min(below, bounds.next));
  DropTrimmed();
}

void RecentMoves::DropTrimmed() {
  while (!moves_.empty()) {
    const Position oldest = moves_.front().move.position;
    if (oldest.offset >= At(oldest.partition).trimmed) return;
    DropOldest();
  }
}

void RecentMoves::DropOldest() {
  const EdgeMove& move = moves_.front().move;
  Bounds& bounds = At(move.position.partition);
  bounds.floor = std::max(bounds.floor, Next(move.position.offset));
  const auto forget = [this](Latest& latest, UserId user) {
    const auto found = latest.find(user);
    if (found != latest.end() && found->second == first_) latest.erase(found);
  };
  forget(by_subject_, move.subject);
  forget(by_object_, move.object);
  moves_.pop_front();
  ++first_;
}

RecentMoves::WayBack RecentMoves::Back(Direction list, UserId user) const {
  const Latest& latest = list == Direction::kFollowing ? by_subject_ : by_object_;
  const auto found = latest.find(user);
  return {list, found == latest.end() ? kNone : found->second};
}

bool RecentMoves::GoBack(WayBack& way, Number from, std::size_t most, const Wanted& wanted,
                         std::vector<EdgeMove>& moves) const {
  const bool following = way.list == Direction::kFollowing;
  const auto is_there = [&] { return way.next >= std::max(from, first_); };
  for (; most > 0 && is_there(); --most) {
    const Entry& entry = moves_[way.next - first_];
    if (wanted(entry.move)) moves.push_back(entry.move);
    way.next = following ? entry.before_of_subject : entry.before_of_object;
  }
  return is_there();
}

std::optional<std::vector<EdgeMove>> RecentMoves::MovesSince(Direction list, UserId user,
                                                             Number from, std::size_t most) const {
  if (from < first_) return std::nullopt;
  std::vector<EdgeMove> moves;
  WayBack way = Back(list, user);
  if (GoBack(way, from, most, [](const EdgeMove&) { return true; }, moves)) return std::nullopt;
  std::ranges::reverse(moves);
  return moves;
}

}  // namespace fanfold::reader
