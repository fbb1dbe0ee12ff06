#include "tests/support/memory_store.h"

#include <algorithm>

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

Result<std::vector<ClaimedLane>> MemoryStore::Claim(std::span<const LaneId> lanes,
                                                    LaneRole role_of_new, const std::string&) {
  std::vector<ClaimedLane> claimed;
  for (const LaneId& id : lanes) {
    const bool is_new = !tables_.lanes.contains(id);
    MemoryLane& lane = tables_.lanes[id];
    if (is_new) lane.role = role_of_new;
    lane.token = {lane.token.epoch + 1, ++tables_.nonces};
    ClaimedLane claim{id,          lane.token,    lane.role, lane.state,
                      lane.reason, lane.progress, {},        lane.folded_offset};
    for (const auto& [first, row] : lane.outbox) claim.outbox.push_back(row);
    claimed.push_back(std::move(claim));
  }
  return claimed;
}

Result<LoadedRows> MemoryStore::Load(Projection projection, Generation generation,
                                     std::span<const EdgeKey> edges,
                                     std::span<const UserId> users) {
  LoadedRows rows;
  for (const EdgeKey& key : edges) {
    const auto found = tables_.edges.find({projection, generation, key});
    rows.edges.push_back(found == tables_.edges.end() ? Edge() : found->second);
  }
  for (const UserId user : users) {
    const auto found = tables_.counts.find({projection, generation, user});
    rows.counts.emplace_back(found == tables_.counts.end() ? 0 : found->second);
  }
  return rows;
}

Result<std::optional<std::vector<EdgeRow>>> MemoryStore::LoadLists(Projection projection,
                                                                   Generation generation,
                                                                   std::span<const UserId> users,
                                                                   std::size_t rows_max) {
  std::vector<EdgeRow> rows;
  for (const UserId user : users) {
    const auto first = tables_.edges.lower_bound({projection, generation, EdgeKey{user, UserId()}});
    for (auto at = first; at != tables_.edges.end(); ++at) {
      const auto& [kind, of_generation, key] = at->first;
      if (kind != projection || of_generation != generation || key.user != user) break;
      rows.push_back({key, at->second});
    }
  }
  if (rows.size() > rows_max) return std::nullopt;
  return rows;
}

bool MemoryStore::Fenced(const StoreBatch& batch) const {
  return std::ranges::any_of(batch.moves, [&](const LaneMove& move) {
    const auto found = tables_.lanes.find(move.lane);
    if (found == tables_.lanes.end()) return true;
    const MemoryLane& lane = found->second;
    return lane.token != move.token || lane.role != move.role ||
           lane.state != LaneState::kRunning || lane.progress.next_offset != move.from_next_offset;
  });
}

void MemoryStore::Write(const StoreBatch& batch) {
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
  for (const EdgeRow& write : batch.edges) {
    Edge& row = tables_.edges[{batch.projection, batch.generation, write.key}];
    if (batch.edges_are_newest || write.edge.version > row.version) row = write.edge;
  }
  for (const CountWrite& write : batch.counts) {
    tables_.counts[{batch.projection, batch.generation, write.user}] += write.delta;
  }
  tables_.parked.insert(tables_.parked.end(), batch.parked.begin(), batch.parked.end());
}

Status MemoryStore::Commit(const StoreBatch& batch) {
  if (std::ranges::any_of(batch.edges, [&](const EdgeRow& row) {
        return row.key.user == refused_ || row.key.other == refused_;
      })) {
    return Fail(ErrorCode::kInvalidArgument, "refused on purpose");
  }
  if (batch.edges.size() > edges_max_) return Fail(ErrorCode::kUnavailable, "out of time");
  const std::optional<Failure> failure = failure_;
  failure_.reset();
  if (failure && !failure->applied) return Fail(failure->code, "failed on purpose");
  if (Fenced(batch)) return Fail(ErrorCode::kFenced, "another owner");
  Write(batch);
  if (failure) return Fail(failure->code, "failed on purpose");
  return {};
}

Result<std::vector<Standing>> MemoryStore::StandingsOf(std::span<const LaneClaim> claims,
                                                       const std::string& owner) {
  std::vector<Standing> standings;
  for (const LaneClaim& claim : claims) {
    const auto found = tables_.lanes.find(claim.lane);
    if (found == tables_.lanes.end()) {
      standings.push_back(Standing::kTakenOver);
    } else if (found->second.token == claim.token &&
               claim.next_offset.value_or(found->second.progress.next_offset) ==
                   found->second.progress.next_offset) {
      standings.push_back(Standing::kHeld);
    } else {
      standings.push_back(found->second.owner == owner ? Standing::kBumped : Standing::kTakenOver);
    }
  }
  return standings;
}

Status MemoryStore::SetState(const LaneId& lane, const LaneToken& token, LaneState state,
                             const std::string& reason) {
  MemoryLane& held = tables_.lanes[lane];
  if (held.token != token) return Fail(ErrorCode::kFenced, "another owner");
  held.state = state;
  held.reason = reason;
  return {};
}

Result<std::vector<FoldedGeneration>> MemoryStore::Generations(Projection projection) {
  return std::vector{FoldedGeneration{Generation(1), projection == projections::kFollowing}};
}

Status MemoryStore::StepDown(const LaneId& lane, const LaneToken& token) {
  MemoryLane& held = tables_.lanes[lane];
  if (held.token != token) return Fail(ErrorCode::kFenced, "another owner");
  const bool published = held.progress.published_offset == held.progress.event_offset;
  if (!published || !held.outbox.empty()) return Fail(ErrorCode::kRefused, "not published");
  held.role = LaneRole::kApplies;
  held.progress.next_offset = held.progress.outcome_offset;
  held.progress.last_digest = 0;
  held.token.nonce = ++tables_.nonces;
  return {};
}

Result<bool> MemoryStore::StepUp(const LaneId& lane, const LaneToken& token) {
  MemoryLane& held = tables_.lanes[lane];
  if (held.token != token) return Fail(ErrorCode::kFenced, "another owner");
  for (const auto& [id, other] : tables_.lanes) {
    const bool same = id.projection == lane.projection && id.partition == lane.partition;
    const bool ahead = other.progress.event_offset > held.progress.event_offset;
    if (same && (other.role == LaneRole::kDecides || ahead)) return false;
  }
  held.role = LaneRole::kDecides;
  held.progress.next_offset = held.progress.event_offset;
  held.progress.last_digest = 0;
  held.token.nonce = ++tables_.nonces;
  return true;
}

void MemoryStore::Release(std::span<const LaneClaim>) {}

}  // namespace fanfold::testing
