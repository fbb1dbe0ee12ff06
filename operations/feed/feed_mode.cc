#include "operations/feed/feed_mode.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "common/ports/deployment_check.h"
#include "common/ports/inbox_store.h"
#include "common/ports/post_reader.h"
#include "common/ports/shown_reader.h"

namespace fanfold::operations {
namespace {

struct OpenStore {
  std::unique_ptr<LaneStore> lanes;
  std::unique_ptr<InboxStore> inboxes;  // on that connection
};

Result<OpenStore> StoreOf(Backend& backend, Shard shard) {
  Result<std::unique_ptr<LaneStore>> lanes = backend.OpenStore(shard);
  if (!lanes) return OfShard(shard, lanes.error());
  OpenStore store{*std::move(lanes), nullptr};
  store.inboxes = OpenInboxes(*store.lanes);
  return store;
}

// Where both streams stand, of the partitions whose lanes are on the shard.
Result<std::vector<InboxStart>> StartsOn(Backend& backend, Shard shard,
                                         const Deployment& deployment) {
  Result<std::unique_ptr<ProjectionReader>> reader = backend.OpenReader(shard);
  if (!reader) return OfShard(shard, reader.error());
  const Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
  if (!lanes) return OfShard(shard, lanes.error());
  std::vector<InboxStart> starts;
  for (const Projection projection : {projections::kPosts, projections::kFeed}) {
    for (const Partition partition : projection.PartitionsOn(shard, deployment.placement)) {
      const LaneId id{projection, deployment.read[projection], partition};
      const auto lane = std::ranges::find(*lanes, id, &LaneStatus::lane);
      const bool is_there = lane != lanes->end();
      starts.push_back({projection.stream(), partition,
                        is_there ? PlaceOf(lane->progress, lane->deciding) : AppliedPlace()});
    }
  }
  return starts;
}

Result<std::vector<InboxStart>> AllStarts(Backend& backend) {
  Result<std::unique_ptr<ProjectionReader>> first = backend.OpenReader(Shard(0));
  if (!first) return OfShard(Shard(0), first.error());
  const Result<Deployment> deployment = ReadNow(backend, **first);
  if (!deployment) return std::unexpected(deployment.error());
  std::vector<InboxStart> all;
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    Result<std::vector<InboxStart>> starts = StartsOn(backend, Shard(shard), *deployment);
    if (!starts) return Forward(starts);
    all.insert(all.end(), starts->begin(), starts->end());
  }
  return all;
}

// A partition of either stream stands on each shard, whether or not its owners are there.
Status BeginEverywhere(Backend& backend, Generation inboxes) {
  const Result<std::vector<InboxStart>> starts = AllStarts(backend);
  if (!starts) return std::unexpected(starts.error());
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    const Result<OpenStore> store = StoreOf(backend, Shard(shard));
    if (!store) return std::unexpected(store.error());
    const Status begun = store->inboxes->Begin(inboxes, *starts);
    if (!begun) return OfShard(Shard(shard), begun.error());
  }
  return {};
}

Status DropAllBut(Context& context, std::optional<Generation> but) {
  Stretch stretch(context);
  for (std::int32_t shard = 0; shard < context.backend.shards(); ++shard) {
    const Result<OpenStore> store = StoreOf(context.backend, Shard(shard));
    if (!store) return std::unexpected(store.error());
    for (bool more = true; more;) {
      const Result<bool> left = store->inboxes->Drop(but);
      if (!left) return OfShard(Shard(shard), left.error());
      more = *left;
      if (stretch.Due()) stretch.ShowText("inboxes are taken away");
      if (context.interrupt.WaitFor(0)) return Fail(ErrorCode::kUnavailable, "interrupted");
    }
  }
  return {};
}

}  // namespace

Result<FeedMode> ReadFeedMode(Context& context) {
  const Result<OpenStore> first = StoreOf(context.backend, Shard(0));
  if (!first) return std::unexpected(first.error());
  const Result<InboxMode> mode = first->inboxes->Mode();
  if (!mode) return std::unexpected(mode.error());
  return FeedMode{mode->is_on, false, mode->last > Generation(0)};
}

Result<FeedMode> SetFeedMode(Context& context, bool to_hybrid) {
  const Result<OpenStore> first = StoreOf(context.backend, Shard(0));
  if (!first) return std::unexpected(first.error());
  Result<InboxMode> mode = first->inboxes->Mode();
  if (!mode) return Forward(mode);
  const bool changes = mode->is_on != to_hybrid;
  if (changes) {
    if (to_hybrid) mode->last = Generation(mode->last.value + 1);
    mode->is_on = to_hybrid;
    Status begun = to_hybrid ? BeginEverywhere(context.backend, mode->last) : Status();
    if (!begun) return Forward(begun);
    if (Status set = first->inboxes->SetMode(*mode); !set) return Forward(set);
  }
  const Status dropped = DropAllBut(context, to_hybrid ? std::optional(mode->last) : std::nullopt);
  if (!dropped) return std::unexpected(dropped.error());
  return FeedMode{to_hybrid, changes, mode->last > Generation(0)};
}

}  // namespace fanfold::operations
