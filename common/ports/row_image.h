// A row of any projection's table, as those see it who audit, mend and look.
#pragma once

#include <compare>
#include <cstdint>

#include "common/ports/projection.h"
#include "common/stream/ids.h"

namespace fanfold {

// `user` is whose row it is, `other` the one it names; 0 where a user has one row.
struct RowKey {
  UserId user;
  UserId other;
  friend auto operator<=>(const RowKey&, const RowKey&) noexcept = default;
};

// Whom a record names: its key's user, and the other; 0 where it names none.
struct RecordKey {
  UserId subject;
  UserId object;
  friend auto operator<=>(const RecordKey&, const RecordKey&) noexcept = default;
};

// The row that a record moves, and back.
[[nodiscard]] constexpr RowKey KeyOf(Projection projection, const RecordKey& record) noexcept {
  const bool with_key = projection.rows() == RowsLive::kWithKey;
  return with_key ? RowKey{record.subject, record.object} : RowKey{record.object, record.subject};
}
[[nodiscard]] constexpr RecordKey RecordOf(Projection projection, const RowKey& row) noexcept {
  const bool with_key = projection.rows() == RowsLive::kWithKey;
  return with_key ? RecordKey{row.user, row.other} : RecordKey{row.other, row.user};
}

// A row's state: 64 bits of its kind beside the version; equal rows have equal ones.
struct RowState {
  Version version;
  std::uint64_t content = 0;
  friend bool operator==(const RowState&, const RowState&) = default;
};

// A row that no event has changed says the same as no row.
[[nodiscard]] constexpr bool SaysNothing(const RowState& state) noexcept {
  return state == RowState();
}

struct RowImage {
  RowKey key;
  RowState state;
};

}  // namespace fanfold
