// The records of an outbox row. Each is its key and value as netstrings ("5:hello,",
// https://cr.yp.to/proto/netstrings.txt), with "-," for a null key; before them, behind an "h", the
// headers where it has any. Binary-safe, since the key of a parked record may be anything. A key is
// cut to kOutcomeKeyBytesMax bytes when it is written, and when an older row holds more.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fanfold::projector {

// Bounds an outcome's key: a foreign producer's may be as large as the broker takes.
inline constexpr std::size_t kOutcomeKeyBytesMax = 255;

struct OutboxRecord {
  std::optional<std::string_view> key;
  std::string_view value;
  std::string_view headers = {};  // opaque; nobody writes any yet
};

void AppendOutboxRecord(std::string& row, const OutboxRecord& record);

// Takes the first record off `row`. Nothing when the row is empty or does not begin with a record.
[[nodiscard]] std::optional<OutboxRecord> TakeOutboxRecord(std::string_view& row) noexcept;

}  // namespace fanfold::projector
