// Where a user lives. Source of the hash: murmur2 as Kafka's Java client computes it over the
// record's key (org.apache.kafka.common.utils.Utils.murmur2), so that any Java producer agrees.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/stream/ids.h"

namespace fanfold {

inline constexpr std::int32_t kSlots = 1024;

// A slot, 0 ≤ value < kSlots.
using Slot = StrongInteger<struct SlotTag, std::int32_t>;

[[nodiscard]] std::uint32_t Murmur2(std::string_view bytes) noexcept;

// (murmur2(decimal id) & 0x7fffffff) % 1024
[[nodiscard]] Slot SlotOf(UserId user) noexcept;

// P partitions and S shards of a deployment, fixed when it is created.
class Placement {
 public:
  static constexpr std::int32_t kPartitionsMax = kSlots;

  // Requires: IsValid(partitions, shards).
  Placement(std::int32_t partitions, std::int32_t shards) noexcept;

  // Both are powers of two, partitions ≤ 1024, and shards divides partitions.
  [[nodiscard]] static bool IsValid(std::int32_t partitions, std::int32_t shards) noexcept;

  [[nodiscard]] std::int32_t partitions() const noexcept { return partitions_; }
  [[nodiscard]] std::int32_t shards() const noexcept { return shards_; }

  // The partition of the events this user is the subject of.
  [[nodiscard]] Partition PartitionOf(UserId user) const noexcept;
  // The shard that holds everything about this user.
  [[nodiscard]] Shard ShardOf(UserId user) const noexcept;
  // The shard that all subjects of a partition live on.
  [[nodiscard]] Shard ShardOf(Partition partition) const noexcept;

 private:
  std::int32_t partitions_;
  std::int32_t shards_;
};

}  // namespace fanfold
