// Makes the inboxes of owners who look at their feeds, and takes away those of owners who do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/random.h"
#include "projector/feed/inbox_shards.h"
#include "projector/feed/owned_tail.h"

namespace fanfold::projector {

// The owner of a user's partition of feed-events makes the user's inbox; where two own it for a
// moment, both make the same.
//
// The order of the steps makes sure that an inbox says what is posted, and no more (ADR 0032): the
// lanes of fans come to where the user's following stands; the inbox is emptied, and delivered
// into; modes, then posts are read and joined to it; the deliveries come to where the posts were
// read.
//
// One thread.
class InboxMaker {
 public:
  static constexpr std::size_t kMadeAtOnce = 64;
  // A step begins none after so long: deliveries wait meanwhile.
  static constexpr std::int64_t kStepMs = 500;
  // A user who follows more has no inbox.
  static constexpr std::size_t kFollowedMax = 10'000;
  // An inbox is made anew when its owner has followed or left more than so many since it was made,
  // or more than one in kChangedFactor of those followed; also when it has lost all but one in
  // kLeftFactor of its entries.
  static constexpr std::size_t kChangedMax = 64;
  static constexpr std::size_t kChangedFactor = 2;
  static constexpr std::size_t kLeftFactor = 4;
  static constexpr std::size_t kHeadsMax = 1'000;  // looked at in one step
  // All inboxes are looked at so often, but for no more of the time than one in kRestFactor.
  static constexpr std::int64_t kLookMs = 10'000;
  static constexpr std::int64_t kRestFactor = 20;
  // An owner who looks again is looked after again after so long.
  static constexpr std::int64_t kAgainMs = 600'000;
  static constexpr std::size_t kAwakeMax = 1'000'000;  // owners known to have looked since then
  static constexpr std::int64_t kDayMs = 86'400'000;

  // All outlive it.
  InboxMaker(const TaskPorts& ports, InboxShards& shards, const InboxLimits& limits)
      : ports_(ports),
        shards_(shards),
        limits_(limits),
        id_(static_cast<std::int64_t>(RandomBits() | 1)),
        tail_(ports, topics::kFeedEvents) {}

  // A step of all that can go on. True: something was done. Requires: the shards are on.
  [[nodiscard]] bool Step(std::vector<Error>& failures);
  // The inboxes that are kept are others now.
  void Forget();

  // Since it began.
  [[nodiscard]] std::uint64_t made() const noexcept { return made_; }
  [[nodiscard]] std::size_t being_made() const noexcept { return making_.size() + queue_.size(); }

 private:
  // Nothing yet of the two that come later.
  struct Making {
    std::string stand;
    std::optional<Offset> follows_at;
    std::optional<std::map<Partition, Offset>> delivered;  // what has to be, once it is joined
  };

  // ---- who looks ----
  [[nodiscard]] Result<Offset> Begin(Partition partition);
  [[nodiscard]] Status Take(Partition partition, const std::vector<LogRecord>& records);

  // ---- which are there ----
  [[nodiscard]] Result<bool> LookOn();
  [[nodiscard]] Status LookAt(const InboxHead& head);
  void Enqueue(const InboxOwner& of);
  [[nodiscard]] Status Examine(const InboxOwner& of);
  [[nodiscard]] Result<bool> IsWorn(const InboxView& view);

  // ---- how one is made ----
  // True: it is made, or not to be.
  [[nodiscard]] Result<bool> Go(const InboxOwner& of, Making& making);
  [[nodiscard]] Result<Offset> FollowingOf(const InboxOwner& of);
  [[nodiscard]] Result<bool> FansHave(Partition partition, Offset follows_at);
  [[nodiscard]] Result<bool> ReadAndJoin(const InboxOwner& of, Making& making);
  [[nodiscard]] Result<bool> AreDelivered(const InboxOwner& of,
                                          const std::map<Partition, Offset>& events);
  [[nodiscard]] Result<const std::vector<LaneStatus>*> LanesOf(Shard shard);

  const TaskPorts& ports_;
  InboxShards& shards_;
  const InboxLimits limits_;
  const std::int64_t id_;  // no other maker's
  OwnedTail tail_;
  std::map<Partition, InboxStood> stood_;
  std::unordered_map<UserId, std::int64_t> awake_;  // steady: when the owner was looked after

  std::deque<InboxOwner> queue_;  // to be examined
  std::set<InboxOwner> queued_;
  std::map<InboxOwner, Making> making_;
  std::map<Shard, std::vector<LaneStatus>> lanes_;  // of this step
  InboxOwner looked_at_;                            // the last; by partition and owner
  std::int64_t look_ms_ = 0;                        // steady: when one is to be begun
  std::int64_t look_took_ms_ = 0;                   // without what was done between its steps
  std::uint64_t made_ = 0;
};

}  // namespace fanfold::projector
