#include "reader/changes/friend_hints.h"

namespace fanfold::reader {

void FriendHints::Mark(std::span<Change* const> changes) {
  const Result<Deployment> deployment = board_.Current();
  std::size_t looks = 0;
  for (Change* change : changes) {
    if (change->type != change_types::kFollowed) continue;
    if (!deployment || ++looks > kLooksMax || clock_.SteadyMs() < rests_until_ms_) return;
    const Result<bool> back = FollowsBack(*change, *deployment);
    if (!back) rests_until_ms_ = clock_.SteadyMs() + kRestMs;
    change->became_friends = back.value_or(false);
  }
}

Result<bool> FriendHints::FollowsBack(const Change& change, const Deployment& deployment) {
  const Result<ProjectionReader*> reader = tables_.On(deployment.placement.ShardOf(change.other));
  if (!reader) return std::unexpected(reader.error());
  const auto found = (*reader)->Among(Direction::kFollowing, deployment.read[Direction::kFollowing],
                                      change.other, std::span(&change.user, 1));
  if (!found) return std::unexpected(found.error());
  return !found->empty();
}

}  // namespace fanfold::reader
