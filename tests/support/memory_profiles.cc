#include "tests/support/memory_profiles.h"

#include <algorithm>
#include <set>

#include "common/ports/edge_kind.h"
#include "common/ports/feed_kind.h"
#include "common/ports/post_kind.h"
#include "common/ports/post_reader.h"
#include "common/ports/shown_reader.h"
#include "tests/support/memory_reader.h"

namespace fanfold::testing {
namespace {

std::unexpected<Error> NotHere() { return Fail(ErrorCode::kInternal, "not kept in memory"); }

}  // namespace

Status MemoryErasures::Move(const Erasure& from, const Erasure& to) {
  const auto found = tables_.erasures.find(from.key);
  const bool stands =
      found != tables_.erasures.end() && found->second.progress.stage == from.progress.stage &&
      found->second.progress.behind == from.progress.behind && found->second.ends == from.ends;
  if (!stands) return Fail(ErrorCode::kConflict, "it stands elsewhere");
  found->second.progress = to.progress;
  found->second.ends = to.ends;
  return {};
}

Result<std::vector<UserId>> MemoryErasures::Deleted(bool open, std::size_t limit) {
  std::set<UserId> users;
  for (const auto& [key, erasure] : tables_.erasures) {
    if (!open || IsOpen(erasure.progress.stage)) users.insert(key.user);
  }
  std::vector<UserId> told(users.begin(), users.end());
  if (told.size() > limit) told.resize(limit);
  return told;
}

Result<std::vector<Erasure>> MemoryErasures::Ended(std::span<const UserId> users) {
  std::vector<Erasure> ended;
  for (const UserId user : users) {
    std::optional<Erasure> last;
    for (const auto& [key, erasure] : tables_.erasures) {
      if (key.user != user) continue;
      if (erasure.stays) last = erasure;
      if (erasure.progress.stage == EraseStage::kRestored) last.reset();
    }
    if (last) ended.push_back(*last);
  }
  return ended;
}

Result<OpenWork> MemoryProfiles::Open() {
  OpenWork open;
  for (const auto& [key, erasure] : tables_.erasures) {
    open.count += IsOpen(erasure.progress.stage) ? 1 : 0;
  }
  return open;
}

Result<ProfileView> MemoryProfiles::Read(Generation generation, std::span<const UserId> users) {
  ProfileView view;
  for (const UserId user : users) {
    const auto row = tables_.profiles.find({generation, user});
    view.rows.push_back(row == tables_.profiles.end() ? ProfileRow() : row->second);
    for (const auto& [key, erasure] : tables_.erasures) {
      if (key.user == user) view.erasures.push_back(erasure);
    }
  }
  for (const auto& [id, lane] : tables_.lanes) {
    if (id.projection != projections::kProfiles || id.generation != generation) continue;
    view.lanes.push_back({id.partition, lane.progress.event_offset,
                          lane.progress.event_offset < lane.folded_offset});
  }
  return view;
}

Result<std::vector<Erasure>> MemoryProfiles::OpenErasures(const std::optional<ErasureKey>& after,
                                                          std::size_t limit) {
  std::vector<Erasure> open;
  for (const auto& [key, erasure] : tables_.erasures) {
    if (open.size() == limit) break;
    if (after && key <= *after) continue;
    if (IsOpen(erasure.progress.stage)) open.push_back(erasure);
  }
  return open;
}

Result<std::vector<LaneStatus>> MemorySnapshot::Lanes() {
  Result<std::vector<LaneStatus>> lanes = MemoryReader(tables_, Placement::Modulo({1, 1})).Lanes();
  if (lanes && on_lanes_) on_lanes_(*lanes);
  return lanes;
}
Result<std::vector<OutboxRow>> MemorySnapshot::Outbox(Projection, Generation) { return NotHere(); }
Result<std::vector<UserCount>> MemorySnapshot::Counts(Projection, Generation,
                                                      const std::optional<UserId>&, UserId,
                                                      std::size_t) {
  return NotHere();
}
Result<RowTally> MemorySnapshot::Tally(Projection, Generation, UserId, UserId, std::size_t) {
  return NotHere();
}

Result<std::vector<RowImage>> MemorySnapshot::Rows(Projection projection, Generation generation,
                                                   const std::optional<RowKey>& after, UserId last,
                                                   std::size_t limit) {
  std::vector<RowImage> rows;
  const auto take = [&](const RowKey& key, const RowState& state) {
    if (key.user > last || (after && key <= *after) || rows.size() == limit) return;
    rows.push_back({key, state});
  };
  const auto take_all = [&](const auto& all) {
    for (const auto& [id, row] : all) {
      if (id.first == generation) take(id.second, StateOf(row));
    }
    return rows;
  };
  if (projection == projections::kPosts) return take_all(tables_.posts);
  if (projection == projections::kFeed) return take_all(tables_.shown);
  for (const auto& [id, edge] : tables_.edges) {
    const auto& [of_projection, of_generation, key] = id;
    if (of_projection != projection || of_generation != generation) continue;
    take({key.user, key.other}, StateOf(edge));
  }
  return rows;
}

}  // namespace fanfold::testing
