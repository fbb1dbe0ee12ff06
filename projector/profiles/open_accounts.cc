#include "projector/profiles/open_accounts.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "common/ports/deployment_check.h"

namespace fanfold::projector {
namespace {

std::set<Shard> ShardsOwned(const TaskPorts& ports, const Placement& placement) {
  std::set<Shard> shards;
  for (std::int32_t p = 0; p < placement.partitions(); ++p) {
    if (ports.owns(Partition(p))) shards.insert(placement.ShardOf(Partition(p)));
  }
  return shards;
}

bool Reaches(const Ends& held, const Ends& ends, std::optional<Partition> only) {
  if (only) {
    const auto p = static_cast<std::size_t>(only->value);
    return held[p] >= ends[p];
  }
  return std::ranges::equal(held, ends, std::ranges::greater_equal());
}

}  // namespace

std::vector<OpenAccount> OpenAccounts::Ready(const std::function<bool()>& stops, OpenCounts& counts,
                                             std::vector<Error>& failures) {
  seen_before_ = std::exchange(seen_, {});
  reach_.BeginAnew();
  const Result<Placement> placement = look_.LastPlacement();
  if (!placement) {
    failures.push_back(OfShard(Shard(0), placement.error()).error());
    return {};
  }
  Found found;
  for (const Shard shard : ShardsOwned(ports_, *placement)) {
    if (stops()) return {};
    const Status looked = LookAt(shard, stops, counts, found);
    if (!looked) failures.push_back(OfShard(shard, looked.error()).error());
  }
  std::vector<OpenAccount>& ready = found.behind;
  std::ranges::move(found.before, std::back_inserter(ready));
  if (ready.size() > kReadyMax) ready.resize(kReadyMax);
  return std::move(ready);
}

// The first failure is told; the others are looked at all the same.
Status OpenAccounts::LookAt(Shard shard, const std::function<bool()>& stops, OpenCounts& counts,
                            Found& found) {
  Status failed;
  std::optional<ErasureKey> after;
  while (true) {
    const Result<std::vector<Erasure>> page = look_.OpenErasures(shard, after, kPageMax);
    if (!page) return std::unexpected(page.error());
    for (const Erasure& erasure : *page) {
      if (stops()) return failed;
      if (!ports_.owns(PartitionOf(erasure.key.user, ports_.shape.partitions))) continue;
      OpenAccount account{shard, erasure};
      const Result<bool> ready = IsReady(account);
      if (!ready && failed) failed = std::unexpected(ready.error());
      Count(account, ready.value_or(false), counts);
      if (!ready.value_or(false)) continue;
      auto& of = !last_ || PlaceOf(account) > *last_ ? found.behind : found.before;
      if (of.size() < kReadyMax) of.push_back(std::move(account));
    }
    if (page->size() < kPageMax) return failed;
    after = page->back().key;
  }
}

Result<bool> OpenAccounts::IsReady(OpenAccount& account) {
  const Erasure& erasure = account.erasure;
  if (Status seen = See(erasure); !seen) return Forward(seen);
  if (erasure.progress.stage == EraseStage::kUnmeasured) {
    Result<std::optional<StreamEnds>> reach = reach_.Of(account.shard, erasure);
    if (!reach) return Forward(reach);
    account.reach = *std::move(reach);
    return account.reach.has_value();
  }
  const ErasedList* list = ListWalked(erasure);
  if (list == nullptr) return HasSettled(erasure);
  const Result<const Ends*> held = look_.HeldBy(account.shard, list->projection);
  if (!held) return std::unexpected(held.error());
  return MayWalk(erasure, *list, **held);
}

bool OpenAccounts::MayWalk(const Erasure& erasure, const ErasedList& list, const Ends& held) const {
  const auto only = list.own_alone
                        ? std::optional(PartitionOf(erasure.key.user, ports_.shape.partitions))
                        : std::nullopt;
  const auto seen = seen_.find(erasure.key);
  return seen != seen_.end() && Reaches(held, *seen->second.log_ends[list.stream()], only) &&
         Reaches(held, erasure.ends[list.stream()], only);
}

Result<bool> OpenAccounts::HasSettled(const Erasure& erasure) {
  for (const ErasedList& list : ErasedLists()) {
    const Ends& appended = erasure.progress.appended[list.stream()];
    if (appended.empty()) continue;
    for (std::int32_t s = 0; s < ports_.shape.shards; ++s) {
      const Result<const Ends*> held = look_.HeldBy(Shard(s), list.projection);
      if (!held) return std::unexpected(held.error());
      if (!Reaches(**held, appended, std::nullopt)) return false;
    }
  }
  return true;
}

Status OpenAccounts::See(const Erasure& erasure) {
  if (auto before = seen_before_.extract(erasure.key)) {
    seen_.insert(std::move(before));
    return {};
  }
  Seen seen{{}, ports_.clock.SteadyMs()};
  for (const Stream stream : kErasedStreams) {
    if (erasure.ends[stream].empty() && !erasure.stays) continue;
    const Result<std::shared_ptr<const Ends>> ends = look_.LogEnds(stream);
    if (!ends) return std::unexpected(ends.error());
    seen.log_ends[stream] = *ends;
  }
  seen_[erasure.key] = std::move(seen);
  return {};
}

void OpenAccounts::Count(const OpenAccount& account, bool is_ready, OpenCounts& counts) const {
  ++counts.open;
  const std::int64_t asked_ms = account.erasure.asked_ms;
  counts.oldest_ms = counts.oldest_ms == 0 ? asked_ms : std::min(counts.oldest_ms, asked_ms);
  if (!is_ready) ++counts.waiting;
  const auto seen = seen_.find(account.erasure.key);
  if (seen == seen_.end()) return;
  counts.still_ms =
      std::max(counts.still_ms, ports_.clock.SteadyMs() - seen->second.still_since_ms);
}

void OpenAccounts::HasMoved(const OpenAccount& account) {
  const auto seen = seen_.find(account.erasure.key);
  if (seen != seen_.end()) seen->second.still_since_ms = ports_.clock.SteadyMs();
}

}  // namespace fanfold::projector
