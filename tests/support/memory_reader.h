// The ProjectionReader port over MemoryTables: as slow as a scan, for tests.
#pragma once

#include "common/ports/projection_reader.h"
#include "common/stream/slot.h"
#include "tests/support/memory_store.h"

namespace fanfold::testing {

class MemoryReader : public ProjectionReader {
 public:
  // `tables` outlive it; the placement is what its catalog says, which is shard 0's.
  MemoryReader(const MemoryTables& tables, const Placement& placement, Shard shard = Shard(0))
      : tables_(tables), placement_(placement), shard_(shard) {}

  [[nodiscard]] Result<std::vector<ListedUser>> Page(Direction list, Generation generation,
                                                     UserId user, const PageStart& start,
                                                     std::size_t limit) override;
  [[nodiscard]] Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations& read,
                                                            UserId user, const PageStart& start,
                                                            std::size_t limit) override;
  [[nodiscard]] Result<std::vector<ListedUser>> Among(Direction list, Generation generation,
                                                      UserId user,
                                                      std::span<const UserId> others) override;
  [[nodiscard]] Result<std::vector<UserCounts>> Counts(const ReadGenerations& read,
                                                       std::span<const UserId> users) override;
  [[nodiscard]] Result<std::vector<Directions>> Relations(const ReadGenerations& read, UserId user,
                                                          std::span<const UserId> targets) override;
  [[nodiscard]] Result<UserView> View(const ReadGenerations& read, UserId user, Partition partition,
                                      std::span<const ListQuestion> questions) override;
  [[nodiscard]] Result<EdgeView> EdgeAt(Direction list, Generation generation, const EdgeKey& key,
                                        Partition partition) override;
  [[nodiscard]] Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t after,
                                                            std::size_t limit) override;
  [[nodiscard]] Result<std::vector<LaneStatus>> Lanes() override;
  [[nodiscard]] Result<std::vector<ParkedRow>> Parked(
      Projection projection, std::optional<std::pair<Partition, Offset>> after,
      std::size_t limit) override;
  [[nodiscard]] Result<std::optional<ParkedRow>> ParkedAt(Projection projection,
                                                          Partition partition,
                                                          Offset offset) override;
  [[nodiscard]] std::unique_ptr<RowReader> OpenRows(Projection projection) override;
  [[nodiscard]] Result<Catalog> ReadCatalog() override;
  [[nodiscard]] Result<SlotMap> ReadSlotMap(SlotMapId id) override;
  [[nodiscard]] Status Ping() override { return {}; }

 private:
  // Newest first.
  [[nodiscard]] std::vector<ListedUser> Listed(Direction list, Generation generation,
                                               UserId user) const;
  [[nodiscard]] std::vector<ListedUser> Friends(const ReadGenerations& read, UserId user) const;
  [[nodiscard]] std::int64_t CountOf(Direction list, Generation generation, UserId user) const;
  [[nodiscard]] bool IsListed(Direction list, Generation generation, UserId user,
                              UserId other) const;

  const MemoryTables& tables_;
  Placement placement_;
  Shard shard_;
};

}  // namespace fanfold::testing
