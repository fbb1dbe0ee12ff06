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

Placement::Placement(std::int32_t partitions, std::int32_t shards) noexcept
    : partitions_(partitions), shards_(shards) {
  FANFOLD_CHECK(IsValid(partitions, shards), "placement of partitions and shards");
}

bool Placement::IsValid(std::int32_t partitions, std::int32_t shards) noexcept {
  const auto power_of_two = [](std::int32_t n) {
    return n > 0 && std::has_single_bit(static_cast<std::uint32_t>(n));
  };
  return power_of_two(partitions) && power_of_two(shards) && partitions <= kPartitionsMax &&
         shards <= partitions;
}

Partition Placement::PartitionOf(UserId user) const noexcept {
  return Partition(SlotOf(user).value % partitions_);
}

Shard Placement::ShardOf(UserId user) const noexcept { return Shard(SlotOf(user).value % shards_); }

Shard Placement::ShardOf(Partition partition) const noexcept {
  return Shard(partition.value % shards_);
}

}  // namespace fanfold
