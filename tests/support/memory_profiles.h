// The ports of profiles over MemoryTables: rows, accounts that end, and the snapshot that ending
// them reads.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "common/ports/profile_reader.h"
#include "common/ports/profile_store.h"
#include "common/ports/table_snapshot.h"
#include "tests/support/memory_store.h"

namespace fanfold::testing {

class MemoryErasures final : public ErasureStore {
 public:
  explicit MemoryErasures(MemoryTables& tables) : tables_(tables) {}
  [[nodiscard]] Status Move(const Erasure& from, const Erasure& to) override;
  [[nodiscard]] Result<std::vector<UserId>> Deleted(bool open, std::size_t limit) override;
  [[nodiscard]] Result<std::vector<Erasure>> Ended(std::span<const UserId> users) override;

 private:
  MemoryTables& tables_;
};

class MemoryProfiles final : public ProfileReader {
 public:
  explicit MemoryProfiles(const MemoryTables& tables) : tables_(tables) {}
  [[nodiscard]] Result<OpenWork> Open() override;
  [[nodiscard]] Result<ProfileView> Read(Generation generation,
                                         std::span<const UserId> users) override;
  [[nodiscard]] Result<std::vector<Erasure>> OpenErasures(const std::optional<ErasureKey>& after,
                                                          std::size_t limit) override;

 private:
  const MemoryTables& tables_;
};

// Its lanes, and rows of edges, posts and feed state, alone.
class MemorySnapshot final : public TableSnapshot {
 public:
  using OnLanes = std::function<void(std::vector<LaneStatus>&)>;

  // `on_lanes` may change what is told of the lanes.
  explicit MemorySnapshot(MemoryTables tables, OnLanes on_lanes = nullptr)
      : tables_(std::move(tables)), on_lanes_(std::move(on_lanes)) {}
  [[nodiscard]] Result<std::vector<LaneStatus>> Lanes() override;
  [[nodiscard]] Result<std::vector<OutboxRow>> Outbox(Projection, Generation) override;
  [[nodiscard]] Result<std::vector<RowImage>> Rows(Projection projection, Generation generation,
                                                   const std::optional<RowKey>& after, UserId last,
                                                   std::size_t limit) override;
  [[nodiscard]] Result<std::vector<UserCount>> Counts(Projection, Generation,
                                                      const std::optional<UserId>&, UserId,
                                                      std::size_t) override;
  [[nodiscard]] Result<RowTally> Tally(Projection, Generation, UserId, UserId,
                                       std::size_t) override;
  [[nodiscard]] Result<std::uint64_t> LastRepair() override { return 0; }

 private:
  const MemoryTables tables_;
  const OnLanes on_lanes_;
};

}  // namespace fanfold::testing
