#include "projector/profiles/reach.h"

#include <algorithm>
#include <utility>

#include "common/ports/profile_reader.h"
#include "common/stream/slot.h"

namespace fanfold::projector {
namespace {

// Was the account reached meanwhile, and no more? Another number was drawn: the tables are others.
bool GoesOn(UserId before, UserId now) noexcept {
  constexpr std::uint64_t kReachedMax = 1'000'000;
  return now >= before && now.value - before.value < kReachedMax;
}

}  // namespace

Result<std::optional<StreamEnds>> Reach::Of(Shard shard, const Erasure& erasure) {
  if (auto known = before_.extract(erasure.key)) measured_.insert(std::move(known));
  const auto [at, is_new] = measured_.try_emplace(erasure.key);
  Measured& measured = at->second;
  const std::int64_t now_ms = ports_.clock.SteadyMs();
  const UserId reached = erasure.progress.behind;
  const bool goes_on =
      !is_new && measured.told == erasure.ends && GoesOn(measured.reached, reached);
  if (!goes_on) measured = {reached, erasure.ends, now_ms};
  if (measured.reached != reached) measured.by = nullptr;
  measured.reached = reached;
  if (now_ms - measured.since_ms < kSeenMs) return std::nullopt;
  if (!measured.by) {
    if (Status asked = AskLog(); !asked) return Forward(asked);
    if (now_->asked_ms - measured.since_ms < kSeenMs) return std::nullopt;
    measured.by = now_;
  }
  const Result<const Ends*> held = look_.HeldBy(shard, projections::kProfiles);
  if (!held) return std::unexpected(held.error());
  const auto own =
      static_cast<std::size_t>(PartitionOf(erasure.key.user, ports_.shape.partitions).value);
  const bool holds = (**held)[own] >= measured.by->users[own];
  return holds ? std::optional(measured.by->ends) : std::nullopt;
}

Status Reach::AskLog() {
  if (now_) return {};
  LogEnds now{ports_.clock.SteadyMs()};
  for (const Stream stream : kErasedStreams) {
    Result<Ends> ends = look_.LogEndsNow(stream);
    if (!ends) return Forward(ends);
    now.ends[stream] = *std::move(ends);
  }
  Result<Ends> users = look_.LogEndsNow(streams::kUsers);
  if (!users) return Forward(users);
  now.users = *std::move(users);
  now_ = std::make_shared<const LogEnds>(std::move(now));
  return {};
}

StreamEnds Furthest(StreamEnds one, const StreamEnds& other) {
  for (const Stream stream : Stream::All()) {
    if (one[stream].size() < other[stream].size()) one[stream].resize(other[stream].size());
    for (std::size_t p = 0; p < other[stream].size(); ++p) {
      one[stream][p] = std::max(one[stream][p], other[stream][p]);
    }
  }
  return one;
}

}  // namespace fanfold::projector
