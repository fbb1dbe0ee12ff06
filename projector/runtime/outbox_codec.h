// The records of an outbox row: per record the key and the value as netstrings ("5:hello,",
// https://cr.yp.to/proto/netstrings.txt), "-," standing for a key that is null; before them, behind
// an "h", the record's headers where it has any. Binary-safe, since the key of a parked record may
// be anything. Of a key its first kOutcomeKeyBytesMax bytes go in, and come out of rows that were
// written with more.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fanfold::projector {

// Of an outcome's key: a foreign producer's may be as large as the broker takes.
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
