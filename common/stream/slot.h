// Where a user lives. Source of the hash: murmur2 as Kafka's Java client computes it over the
// record's key (org.apache.kafka.common.utils.Utils.murmur2), so that any Java producer agrees.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "common/stream/ids.h"

namespace fanfold {

inline constexpr std::int32_t kSlots = 1024;
inline constexpr std::int32_t kPartitionsMax = kSlots;

// A slot, 0 ≤ value < kSlots.
using Slot = StrongInteger<struct SlotTag, std::int32_t>;

[[nodiscard]] std::uint32_t Murmur2(std::string_view bytes) noexcept;

// (murmur2(decimal id) & 0x7fffffff) % 1024
[[nodiscard]] Slot SlotOf(UserId user) noexcept;

// The partition of the events this user is the subject of. Requires: a deployment has so many.
[[nodiscard]] Partition PartitionOf(UserId user, std::int32_t partitions) noexcept;

// How many partitions and shards a deployment has, fixed when it is created.
struct Shape {
  std::int32_t partitions = 0;
  std::int32_t shards = 0;
  // Both are powers of two, partitions ≤ kPartitionsMax, and shards divides partitions.
  [[nodiscard]] bool IsValid() const noexcept;
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A map of slots, in the tables.
using SlotMapId = StrongInteger<struct SlotMapTag, std::int32_t>;
// The one a deployment begins with.
inline constexpr SlotMapId kFirstSlotMap{1};

// The shard of each slot. The map under an id never changes.
struct SlotMap {
  std::array<Shard, kSlots> shard_of{};  // by slot

  // slot % shards
  [[nodiscard]] static SlotMap Modulo(std::int32_t shards) noexcept;
  // Each shard is one of the shape's, and slots of one partition share theirs: so the subjects of
  // its events do.
  [[nodiscard]] bool IsValid(const Shape& shape) const noexcept;
  friend bool operator==(const SlotMap&, const SlotMap&) = default;
};

// Where the generations of one slot map have their users, lanes and rows. Copies share the map.
class Placement {
 public:
  // Requires: shape.IsValid(), map.IsValid(shape).
  Placement(const Shape& shape, SlotMapId id, const SlotMap& map);
  // By the map a deployment begins with. Requires: shape.IsValid().
  [[nodiscard]] static Placement Modulo(const Shape& shape);

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::int32_t partitions() const noexcept { return shape_.partitions; }
  [[nodiscard]] std::int32_t shards() const noexcept { return shape_.shards; }
  [[nodiscard]] SlotMapId slot_map() const noexcept { return id_; }

  [[nodiscard]] Partition PartitionOf(UserId user) const noexcept {
    return fanfold::PartitionOf(user, shape_.partitions);
  }
  // The shard that holds everything about this user.
  [[nodiscard]] Shard ShardOf(UserId user) const noexcept;
  // The shard that all subjects of a partition live on.
  [[nodiscard]] Shard ShardOf(Partition partition) const noexcept;

 private:
  Shape shape_;
  SlotMapId id_;
  std::shared_ptr<const SlotMap> map_;
};

}  // namespace fanfold
