#include "common/stream/parking.h"

#include <fmt/format.h>
#include <utility>

#include "common/base/enum_names.h"

namespace fanfold {
namespace {

constexpr Names<ParkReason, 11> kParkReasons = {
    {{ParkReason::kMalformed, "malformed"},
     {ParkReason::kFutureVersion, "future_version"},
     {ParkReason::kUnknownType, "unknown_type"},
     {ParkReason::kMissingField, "missing_field"},
     {ParkReason::kInvalidField, "invalid_field"},
     {ParkReason::kInvalidId, "invalid_id"},
     {ParkReason::kTooLarge, "too_large"},
     {ParkReason::kKeyMismatch, "key_mismatch"},
     {ParkReason::kWrongPartition, "wrong_partition"},
     {ParkReason::kUnreadableOutcome, "unreadable_outcome"},
     {ParkReason::kErased, "erased"}}};

}  // namespace

std::string_view ToString(ParkReason reason) noexcept { return NameOf(kParkReasons, reason); }

std::optional<ParkReason> ParseParkReason(std::string_view text) noexcept {
  return ValueOf(kParkReasons, text);
}

std::unexpected<Unreadable> CannotRead(ParkReason reason, std::string detail,
                                       std::string event_id) {
  return std::unexpected(Unreadable{reason, std::move(detail), std::move(event_id)});
}

std::expected<std::string_view, Unreadable> ValueToDecode(std::optional<std::string_view> key,
                                                          std::optional<std::string_view> value) {
  if (!value) return CannotRead(ParkReason::kMalformed, "no value");
  if (key == "" && value == "") return CannotRead(ParkReason::kErased, "erased");
  return *value;
}

std::expected<void, Unreadable> CheckPlace(std::string_view called, UserId user,
                                           std::optional<std::string_view> key, Partition partition,
                                           std::int32_t partitions) {
  if (!key || ParseUserId(*key) != user) {
    return CannotRead(ParkReason::kKeyMismatch, fmt::format("the key is not the {}", called));
  }
  const Partition home = PartitionOf(user, partitions);
  if (home == partition) return {};
  return CannotRead(ParkReason::kWrongPartition,
                    fmt::format("{} {} belongs in partition {}", called, user.value, home.value));
}

}  // namespace fanfold
