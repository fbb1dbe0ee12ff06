// Records that cannot be decided or applied, whatever they are of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "common/stream/slot.h"

namespace fanfold {

// Why a record could not be decided or applied.
enum class ParkReason : std::uint8_t {
  kMalformed = 1,           // not a JSON object in UTF-8
  kFutureVersion = 2,       // "v" above what this build reads
  kUnknownType = 3,         // a type of event nobody has defined
  kMissingField = 4,        // a field that every event has is not there
  kInvalidField = 5,        // a field of the wrong type or outside its range
  kInvalidId = 6,           // not a user id: 0, 2^63, a sign, a leading zero
  kTooLarge = 7,            // a value above kRecordBytesMax
  kKeyMismatch = 8,         // the key is not the subject
  kWrongPartition = 9,      // not the partition of the subject's slot
  kUnreadableOutcome = 10,  // an outcome that cannot be read
  kErased = 11,             // nothing, which stands in the place of what was erased
};

// The largest value, in bytes, of a record that is decoded.
inline constexpr std::size_t kRecordBytesMax = 65'536;

[[nodiscard]] std::string_view ToString(ParkReason reason) noexcept;
[[nodiscard]] std::optional<ParkReason> ParseParkReason(std::string_view text) noexcept;

// Why a record cannot be decided, in words, with its id where that much could be read.
struct Unreadable {
  ParkReason reason = ParkReason::kMalformed;
  std::string detail;
  std::string event_id;
};

// As Fail of results: `return CannotRead(ParkReason::kMalformed, "no value");`.
[[nodiscard]] std::unexpected<Unreadable> CannotRead(ParkReason reason, std::string detail,
                                                     std::string event_id = {});

// The value to be decoded. Errors: kErased, key and value are there and empty, as `export --log
// --without` leaves them; kMalformed, there is none.
[[nodiscard]] std::expected<std::string_view, Unreadable> ValueToDecode(
    std::optional<std::string_view> key, std::optional<std::string_view> value);

// Does a record with this key, in this partition, stand where those of its user do? `called` is
// what the user is to the record: "subject". Errors: kKeyMismatch, kWrongPartition.
[[nodiscard]] std::expected<void, Unreadable> CheckPlace(std::string_view called, UserId user,
                                                         std::optional<std::string_view> key,
                                                         Partition partition,
                                                         std::int32_t partitions);

}  // namespace fanfold
