// A row of the table parked.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/ports/lane_store.h"
#include "common/sql/lane_row.h"

namespace fanfold {

// The largest `detail`, in bytes; what is longer is cut.
inline constexpr std::size_t kParkedDetailBytesMax = 512;

// Throws Failure, kRefused, for a name that this build does not know.
[[nodiscard]] ParkReason ParkReasonNamed(std::string_view name);

// The columns of ReadParkedRow, in its order.
inline constexpr std::string_view kParkedColumns =
    "projection, generation, `partition`, record_offset, reason, detail, event_id, record_key, "
    "appended_ms, stream";

// From the current row of an adapter's answer.
template <class Rows>
[[nodiscard]] ParkedRow ReadParkedRow(const Rows& rows) {
  ParkedRow row;
  row.lane = {ProjectionNamed(rows.Text(0)), Generation(rows.I32(1)), Partition(rows.I32(2)),
              StreamNamed(rows.Text(9))};
  row.offset = Offset(rows.I64(3));
  row.reason = ParkReasonNamed(rows.Text(4));
  row.detail = rows.Text(5);
  row.event_id = rows.Text(6);
  row.key = rows.Text(7);
  row.appended_ms = rows.I64(8);
  return row;
}

}  // namespace fanfold
