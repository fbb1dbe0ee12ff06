// Who follows whom by the rules of the product, as plainly as they can be said. Shares no rule with
// the code it judges.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "common/relation/event.h"

namespace fanfold {

class RelationModel {
 public:
  explicit RelationModel(std::int64_t limit) : limit_(limit) {}

  void SetLimit(std::int64_t limit) { limit_ = limit; }

  OutcomeKind Ask(const Event& event, std::int64_t offset) {
    if (event.subject == event.object) return OutcomeKind::kRejected;
    const std::pair edge{event.subject, event.object};
    if (event.if_version && changed_[edge] > event.if_version->value) {
      return OutcomeKind::kRejected;
    }
    std::map<UserId, std::int64_t>& follows = following[event.subject];
    if (follows.contains(event.object) == (event.type == EventType::kFollow)) {
      return OutcomeKind::kUnchanged;
    }
    if (event.type == EventType::kUnfollow) {
      follows.erase(event.object);
    } else if (limit_ > 0 && std::ssize(follows) >= limit_) {
      return OutcomeKind::kRejected;
    } else {
      follows[event.object] = event.at_ms;
    }
    changed_[edge] = offset + 1;
    return event.type == EventType::kFollow ? OutcomeKind::kFollowed : OutcomeKind::kUnfollowed;
  }

  std::map<UserId, std::map<UserId, std::int64_t>> following;  // who → whom → since

 private:
  std::int64_t limit_;
  std::map<std::pair<UserId, UserId>, std::int64_t> changed_;
};

}  // namespace fanfold
