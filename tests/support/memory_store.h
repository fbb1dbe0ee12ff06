// The LaneStore port in memory, for unit tests. Several instances share one MemoryTables, as
// several processes share a database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/ports/feed_store.h"
#include "common/ports/inbox_store.h"
#include "common/ports/post_store.h"
#include "common/ports/profile_store.h"
#include "common/ports/projection_reader.h"

namespace fanfold::testing {

struct MemoryLane {
  Fence fence;
  bool deciding = kApplying;
  LaneState state = LaneState::kRunning;
  std::string reason;
  std::string owner;
  LaneProgress progress;
  Offset folded_offset;
  std::map<Offset, OutboxRow> outbox;
};

// One shard's.
struct MemoryTables {
  std::map<LaneId, MemoryLane> lanes;
  std::map<std::tuple<Projection, Generation, EdgeKey>, Edge> edges;
  std::map<std::tuple<Projection, Generation, UserId>, std::int64_t> counts;
  std::map<std::pair<Generation, UserId>, ProfileRow> profiles;
  std::map<ErasureKey, Erasure> erasures;
  std::map<std::pair<Generation, RowKey>, PostRow> posts;
  std::map<std::pair<Generation, RowKey>, FeedRow> shown;
  std::map<InboxOwner, InboxView> inboxes;
  std::vector<ParkedRow> parked;
  std::vector<RepairRow> repairs;  // by mark
  std::uint64_t nonces = 0;
  bool all_may_decide = false;      // whatever others do
  bool older_profiles_win = false;  // over newer ones
  int commits = 0;

  [[nodiscard]] std::int64_t Count(Projection projection, UserId user) const;
  [[nodiscard]] Edge EdgeAt(Projection projection, UserId user, UserId other) const;
};

class MemoryEdges : public EdgeStore {
 public:
  MemoryEdges(MemoryTables& tables, Projection projection, Generation generation)
      : tables_(tables), projection_(projection), generation_(generation) {}

  [[nodiscard]] Result<LoadedRows> Load(std::span<const EdgeKey> edges,
                                        std::span<const UserId> users) override;
  [[nodiscard]] Result<std::optional<std::vector<EdgeRow>>> LoadLists(
      std::span<const UserId> users, std::size_t rows_max) override;

 private:
  MemoryTables& tables_;
  Projection projection_;
  Generation generation_;
};

class MemoryStore : public LaneStore {
 public:
  explicit MemoryStore(MemoryTables& tables) : tables_(tables) {}

  // The next Commit answers this; `applied` says whether it happens all the same.
  void FailNextCommit(ErrorCode code, bool applied);

  // No batch with an edge of this user's, on either side, is ever taken.
  void RefuseEdgesOf(UserId user) { refused_ = user; }

  // So slow that batches with more edges run out of time, whenever they are tried.
  void TakeAtMost(std::size_t edges) { edges_max_ = edges; }

  [[nodiscard]] Result<std::vector<TakenLane>> TakeFences(std::span<const LaneId> lanes,
                                                          bool new_decide,
                                                          const std::string& owner) override;
  [[nodiscard]] std::unique_ptr<RowStore> OpenRows(Projection projection,
                                                   Generation generation) override;
  [[nodiscard]] Status Commit(const LaneBatch& batch) override;
  [[nodiscard]] Result<std::vector<FenceState>> FenceStatesOf(std::span<const LaneFence> held,
                                                              const std::string& owner) override;
  [[nodiscard]] Status SetState(const LaneId& lane, const Fence& fence, LaneState state,
                                const std::string& reason) override;
  [[nodiscard]] Result<std::vector<FoldedGeneration>> Generations(Projection projection) override;
  [[nodiscard]] Status StopDeciding(const LaneId& lane, const Fence& fence) override;
  [[nodiscard]] Result<bool> StartDeciding(const LaneId& lane, const Fence& fence) override;
  void Release(std::span<const LaneFence> lanes) override;

 private:
  struct Failure {
    ErrorCode code;
    bool applied;
  };
  [[nodiscard]] bool Fenced(const LaneBatch& batch) const;
  [[nodiscard]] bool IsDecided(const LaneId& lane) const;
  void Write(const LaneBatch& batch);
  void WriteProfiles(const LaneBatch& batch);
  void WritePosts(const LaneBatch& batch);
  void WriteFeeds(const LaneBatch& batch);

  MemoryTables& tables_;
  std::optional<Failure> failure_;
  std::optional<UserId> refused_;
  std::size_t edges_max_ = SIZE_MAX;
};

}  // namespace fanfold::testing
