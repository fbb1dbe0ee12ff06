#include "tests/support/memory_store.h"

#include <algorithm>

#include "common/ports/shown_reader.h"
#include "tests/support/memory_posts.h"
#include "tests/support/memory_profiles.h"

namespace fanfold::testing {

std::int64_t MemoryTables::Count(Projection projection, UserId user) const {
  const auto found = counts.find({projection, Generation(1), user});
  return found == counts.end() ? 0 : found->second;
}

Edge MemoryTables::EdgeAt(Projection projection, UserId user, UserId other) const {
  const auto found = edges.find({projection, Generation(1), EdgeKey{user, other}});
  return found == edges.end() ? Edge() : found->second;
}

void MemoryStore::FailNextCommit(ErrorCode code, bool applied) { failure_ = {code, applied}; }

Result<std::vector<TakenLane>> MemoryStore::TakeFences(std::span<const LaneId> lanes,
                                                       bool new_decide, const std::string&) {
  std::vector<TakenLane> taken;
  for (const LaneId& id : lanes) {
    const bool is_new = !tables_.lanes.contains(id);
    MemoryLane& lane = tables_.lanes[id];
    if (is_new) lane.deciding = new_decide && !IsDecided(id);
    lane.fence = {lane.fence.epoch + 1, ++tables_.nonces};
    TakenLane one{id, lane.fence,        lane.deciding, lane.state, lane.reason, lane.progress,
                  {}, lane.folded_offset};
    for (const auto& [first, row] : lane.outbox) one.outbox.push_back(row);
    taken.push_back(std::move(one));
  }
  return taken;
}

bool MemoryStore::IsDecided(const LaneId& lane) const {
  return std::ranges::any_of(tables_.lanes, [&](const auto& entry) {
    const auto& [id, other] = entry;
    return id.projection == lane.projection && id.partition == lane.partition && other.deciding;
  });
}

std::unique_ptr<RowStore> MemoryStore::OpenRows(Projection projection, Generation generation) {
  if (HoldsLists(projection)) return std::make_unique<MemoryEdges>(tables_, projection, generation);
  if (projection == projections::kPosts) {
    return std::make_unique<MemoryPosts>(tables_, generation);
  }
  if (projection == projections::kFeed) return nullptr;
  return std::make_unique<MemoryErasures>(tables_);
}

Result<LoadedRows> MemoryEdges::Load(std::span<const EdgeKey> edges,
                                     std::span<const UserId> users) {
  LoadedRows rows;
  for (const EdgeKey& key : edges) {
    const auto found = tables_.edges.find({projection_, generation_, key});
    rows.edges.push_back(found == tables_.edges.end() ? Edge() : found->second);
  }
  for (const UserId user : users) {
    const auto found = tables_.counts.find({projection_, generation_, user});
    rows.counts.emplace_back(found == tables_.counts.end() ? 0 : found->second);
  }
  return rows;
}

Result<std::optional<std::vector<EdgeRow>>> MemoryEdges::LoadLists(std::span<const UserId> users,
                                                                   std::size_t rows_max) {
  std::vector<EdgeRow> rows;
  for (const UserId user : users) {
    const auto first =
        tables_.edges.lower_bound({projection_, generation_, EdgeKey{user, UserId()}});
    for (auto at = first; at != tables_.edges.end(); ++at) {
      const auto& [kind, of_generation, key] = at->first;
      if (kind != projection_ || of_generation != generation_ || key.user != user) break;
      rows.push_back({key, at->second});
    }
  }
  if (rows.size() > rows_max) return std::nullopt;
  return rows;
}

bool MemoryStore::Fenced(const LaneBatch& batch) const {
  return std::ranges::any_of(batch.moves, [&](const LaneMove& move) {
    const auto found = tables_.lanes.find(move.lane);
    if (found == tables_.lanes.end()) return true;
    const MemoryLane& lane = found->second;
    return lane.fence != move.fence || lane.deciding != move.deciding ||
           lane.state != LaneState::kRunning || lane.progress.next_offset != move.from_next_offset;
  });
}

void MemoryStore::Write(const LaneBatch& batch) {
  ++tables_.commits;
  for (const LaneMove& move : batch.moves) {
    MemoryLane& lane = tables_.lanes[move.lane];
    lane.progress = move.to;
    lane.folded_offset = std::max(lane.folded_offset, move.to.event_offset);
    std::erase_if(lane.outbox,
                  [&](const auto& row) { return row.second.next <= move.to.published_offset; });
  }
  for (const OutboxRow& row : batch.outbox) {
    tables_.lanes[{batch.projection, batch.generation, row.partition}].outbox[row.first] = row;
  }
  tables_.parked.insert(tables_.parked.end(), batch.parked.begin(), batch.parked.end());
  if (batch.rows == nullptr) return;
  if (batch.projection == projections::kPosts) return WritePosts(batch);
  if (batch.projection == projections::kFeed) return WriteFeeds(batch);
  if (!HoldsLists(batch.projection)) return WriteProfiles(batch);
  const EdgeWrites& writes = EdgesOf(*batch.rows);
  for (const EdgeRow& write : writes.edges) {
    Edge& row = tables_.edges[{batch.projection, batch.generation, write.key}];
    if (writes.edges_are_newest || write.edge.version > row.version) row = write.edge;
  }
  for (const CountWrite& write : writes.counts) {
    tables_.counts[{batch.projection, batch.generation, write.user}] += write.delta;
  }
  for (const ErasureKey& ended : writes.reached) {
    ErasureProgress& progress = tables_.erasures.at(ended).progress;
    const bool again = progress.stage == EraseStage::kUnmeasured;
    progress = {
        EraseStage::kUnmeasured, UserId(again ? progress.behind.value + 1 : ++tables_.nonces), {}};
  }
}

void MemoryStore::WriteProfiles(const LaneBatch& batch) {
  const ProfileWrites& writes = ProfilesOf(*batch.rows);
  for (const ProfileWrite& write : writes.profiles) {
    ProfileRow& row = tables_.profiles[{batch.generation, write.user}];
    const bool moves = row.version == Version(0) || Moves(AccountOf(row), AccountOf(write.row));
    const bool counts = (write.row.version > row.version && moves) || tables_.older_profiles_win;
    if (counts) row = write.row;
  }
  for (const Erasure& erasure : writes.erasures) {
    const auto [at, is_new] = tables_.erasures.try_emplace(erasure.key, erasure);
    const bool draws = is_new && erasure.progress.stage == EraseStage::kUnmeasured;
    if (draws) at->second.progress.behind = UserId(++tables_.nonces);
  }
}

void MemoryStore::WritePosts(const LaneBatch& batch) {
  for (const PostWrite& write : PostsOf(*batch.rows).posts) {
    PostRow& row = tables_.posts[{batch.generation, write.key}];
    if (write.row.version > row.version) row = write.row;
  }
}

void MemoryStore::WriteFeeds(const LaneBatch& batch) {
  for (const FeedWrite& write : FeedWritesOf(*batch.rows).shown) {
    FeedRow& row = tables_.shown[{batch.generation, write.key}];
    if (write.row.version > row.version) row = write.row;
  }
}

Status MemoryStore::Commit(const LaneBatch& batch) {
  const bool has_edges = batch.rows != nullptr && HoldsLists(batch.projection);
  const std::vector<EdgeRow> edges =
      has_edges ? EdgesOf(*batch.rows).edges : std::vector<EdgeRow>();
  if (std::ranges::any_of(edges, [&](const EdgeRow& row) {
        return row.key.user == refused_ || row.key.other == refused_;
      })) {
    return Fail(ErrorCode::kInvalidArgument, "refused on purpose");
  }
  if (edges.size() > edges_max_) return Fail(ErrorCode::kUnavailable, "out of time");
  const std::optional<Failure> failure = failure_;
  failure_.reset();
  if (failure && !failure->applied) return Fail(failure->code, "failed on purpose");
  if (Fenced(batch)) return Fail(ErrorCode::kFenced, "another owner");
  Write(batch);
  if (failure) return Fail(failure->code, "failed on purpose");
  return {};
}

Result<std::vector<FenceState>> MemoryStore::FenceStatesOf(std::span<const LaneFence> held,
                                                           const std::string& owner) {
  std::vector<FenceState> states;
  for (const LaneFence& one : held) {
    const auto found = tables_.lanes.find(one.lane);
    if (found == tables_.lanes.end()) {
      states.push_back(FenceState::kTakenOver);
    } else if (found->second.fence == one.fence &&
               one.next_offset.value_or(found->second.progress.next_offset) ==
                   found->second.progress.next_offset) {
      states.push_back(FenceState::kHeld);
    } else {
      states.push_back(found->second.owner == owner ? FenceState::kBumped : FenceState::kTakenOver);
    }
  }
  return states;
}

Status MemoryStore::SetState(const LaneId& lane, const Fence& fence, LaneState state,
                             const std::string& reason) {
  MemoryLane& held = tables_.lanes[lane];
  if (held.fence != fence) return Fail(ErrorCode::kFenced, "another owner");
  held.state = state;
  held.reason = reason;
  return {};
}

Result<std::vector<FoldedGeneration>> MemoryStore::Generations(Projection projection) {
  return std::vector{FoldedGeneration{Generation(1), projection.decides()}};
}

Status MemoryStore::StopDeciding(const LaneId& lane, const Fence& fence) {
  MemoryLane& held = tables_.lanes[lane];
  if (held.fence != fence) return Fail(ErrorCode::kFenced, "another owner");
  const bool published = held.progress.published_offset == held.progress.event_offset;
  if (!published || !held.outbox.empty()) return Fail(ErrorCode::kRefused, "not published");
  held.deciding = kApplying;
  held.progress.next_offset = held.progress.outcome_offset;
  held.fence.nonce = ++tables_.nonces;
  return {};
}

Result<bool> MemoryStore::StartDeciding(const LaneId& lane, const Fence& fence) {
  MemoryLane& held = tables_.lanes[lane];
  if (held.fence != fence) return Fail(ErrorCode::kFenced, "another owner");
  for (const auto& [id, other] : tables_.lanes) {
    const bool same = id.projection == lane.projection && id.partition == lane.partition;
    const bool ahead = other.progress.event_offset > held.progress.event_offset;
    if (same && (other.deciding || ahead) && !tables_.all_may_decide) return false;
    const RecordMark& theirs = other.progress.event_mark;
    if (same && theirs.offset > held.progress.event_mark.offset) held.progress.event_mark = theirs;
  }
  held.deciding = kDeciding;
  held.progress.next_offset = held.progress.event_offset;
  held.fence.nonce = ++tables_.nonces;
  return true;
}

void MemoryStore::Release(std::span<const LaneFence>) {}

}  // namespace fanfold::testing
