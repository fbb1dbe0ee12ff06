#include "common/stream/slot.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "common/base/check.h"

namespace fanfold {

std::uint32_t Murmur2(std::string_view bytes) noexcept {
  constexpr std::uint32_t kSeed = 0x9747b28c;
  constexpr std::uint32_t kM = 0x5bd1e995;
  constexpr int kR = 24;
  const std::size_t length = bytes.size();
  std::uint32_t h = kSeed ^ static_cast<std::uint32_t>(length);
  std::size_t i = 0;
  for (; i + 4 <= length; i += 4) {
    std::uint32_t k = 0;
    std::memcpy(&k, bytes.data() + i, sizeof k);
    k *= kM;
    k ^= k >> kR;
    k *= kM;
    h *= kM;
    h ^= k;
  }
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
  };
  const std::size_t tail = length - i;
  if (tail == 3) h ^= byte(i + 2) << 16;
  if (tail >= 2) h ^= byte(i + 1) << 8;
  if (tail >= 1) h = (h ^ byte(i)) * kM;
  h ^= h >> 13;
  h *= kM;
  h ^= h >> 15;
  return h;
}

Slot SlotOf(UserId user) noexcept {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, user.value);
  const std::string_view key(digits, static_cast<std::size_t>(end - digits));
  return Slot(static_cast<std::int32_t>((Murmur2(key) & 0x7fffffffU) % kSlots));
}

Partition PartitionOf(UserId user, std::int32_t partitions) noexcept {
  return Partition(SlotOf(user).value % partitions);
}

bool Shape::IsValid() const noexcept {
  const auto power_of_two = [](std::int32_t n) {
    return n > 0 && std::has_single_bit(static_cast<std::uint32_t>(n));
  };
  return power_of_two(partitions) && power_of_two(shards) && partitions <= kPartitionsMax &&
         shards <= partitions;
}

SlotMap SlotMap::Modulo(std::int32_t shards) noexcept {
  SlotMap map;
  for (std::int32_t slot = 0; slot < kSlots; ++slot) {
    map.shard_of[static_cast<std::size_t>(slot)] = Shard(slot % shards);
  }
  return map;
}

bool SlotMap::IsValid(const Shape& shape) const noexcept {
  if (!shape.IsValid()) return false;
  const auto partitions = static_cast<std::size_t>(shape.partitions);
  for (std::size_t slot = 0; slot < shard_of.size(); ++slot) {
    const Shard shard = shard_of[slot];
    if (shard < Shard(0) || shard >= Shard(shape.shards)) return false;
    if (shard != shard_of[slot % partitions]) return false;
  }
  return true;
}

Placement::Placement(const Shape& shape, SlotMapId id, const SlotMap& map)
    : shape_(shape), id_(id), map_(std::make_shared<const SlotMap>(map)) {
  FANFOLD_CHECK(shape.IsValid() && map.IsValid(shape), "placement of partitions and shards");
}

Placement Placement::Modulo(const Shape& shape) {
  FANFOLD_CHECK(shape.IsValid(), "placement of partitions and shards");
  return {shape, kFirstSlotMap, SlotMap::Modulo(shape.shards)};
}

Shard Placement::ShardOf(UserId user) const noexcept {
  return map_->shard_of[static_cast<std::size_t>(SlotOf(user).value)];
}

// Its number is that of one of its slots.
Shard Placement::ShardOf(Partition partition) const noexcept {
  return map_->shard_of[static_cast<std::size_t>(partition.value)];
}

}  // namespace fanfold
