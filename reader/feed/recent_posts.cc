#include "reader/feed/recent_posts.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace fanfold::reader {

RecentPosts::RecentPosts(std::int32_t partitions, std::size_t bytes_max)
    : moves_max_(bytes_max / (kMoveBytes + kAuthorBytes)),
      bounds_(static_cast<std::size_t>(partitions)) {}

void RecentPosts::StartAt(const std::vector<Offset>& next) {
  FANFOLD_CHECK(next.size() == bounds_.size(), "a start for each partition");
  first_ += moves_.size();
  moves_.clear();
  latest_.clear();
  for (std::size_t p = 0; p < next.size(); ++p) bounds_[p] = {next[p], next[p], next[p]};
}

void RecentPosts::Push(Position position, const std::optional<PostMove>& move) {
  Bounds& bounds = At(position.partition);
  FANFOLD_CHECK(position.offset == bounds.next, "outcomes are pushed in order, without a gap");
  bounds.next = Next(bounds.next);
  if (!move) return;
  moves_.push_back({*move, position, std::exchange(latest_[move->author], end())});
  while (moves_.size() > moves_max_) DropOldest();
  DropTrimmed();
}

void RecentPosts::Trim(Partition partition, Offset below) {
  Bounds& bounds = At(partition);
  bounds.trimmed = std::max(bounds.trimmed, std::min(below, bounds.next));
  DropTrimmed();
}

void RecentPosts::DropTrimmed() {
  while (!moves_.empty()) {
    const Position oldest = moves_.front().position;
    if (oldest.offset >= At(oldest.partition).trimmed) return;
    DropOldest();
  }
}

void RecentPosts::DropOldest() {
  const Entry& oldest = moves_.front();
  Bounds& bounds = At(oldest.position.partition);
  bounds.floor = std::max(bounds.floor, Next(oldest.position.offset));
  const auto found = latest_.find(oldest.move.author);
  if (found->second == first_) latest_.erase(found);
  moves_.pop_front();
  ++first_;
}

template <class Wanted>
std::optional<std::vector<PostMove>> RecentPosts::Latest(UserId author, std::size_t most,
                                                         const Wanted& wanted) const {
  std::vector<PostMove> moves;
  const auto found = latest_.find(author);
  Number number = found == latest_.end() ? kNone : found->second;
  while (number >= first_ && wanted(number)) {
    if (moves.size() == most) return std::nullopt;
    const Entry& entry = moves_[number - first_];
    moves.push_back(entry.move);
    number = entry.before;
  }
  std::ranges::reverse(moves);
  return moves;
}

std::optional<std::vector<PostMove>> RecentPosts::Since(UserId author, Offset from,
                                                        std::size_t most) const {
  return Latest(author, most,
                [&](Number number) { return moves_[number - first_].position.offset >= from; });
}

std::optional<std::vector<PostMove>> RecentPosts::SinceNumber(UserId author, Number from,
                                                              std::size_t most) const {
  return Latest(author, most, [&](Number number) { return number >= from; });
}

}  // namespace fanfold::reader
