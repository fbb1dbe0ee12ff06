#include "common/sqlite/lane_extras.h"

#include <string>

#include "common/stream/event_id.h"

namespace fanfold::sqlite {
namespace {

// A published row begins below the mark: that bounds the range of the key, and leaves the rows of
// the batch itself alone.
constexpr std::string_view kDeletePublished =
    "DELETE FROM outbox WHERE projection = ?1 AND generation = ?2 AND `partition` = ?3 AND "
    "stream = ?4 AND first_offset < ?5 AND next_offset <= ?5";

// A record that is read again after a rewind is parked already.
constexpr std::string_view kAddParked =
    "INSERT INTO parked (projection, generation, `partition`, record_offset, reason, detail, "
    "event_id, record_key, appended_ms, stream, parked_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
    "?9, ?10, ?11)"
    " ON CONFLICT DO UPDATE SET reason = excluded.reason, detail = excluded.detail";

Blob Cut(const std::string& bytes, std::size_t bytes_max) {
  return {std::string_view(bytes).substr(0, bytes_max)};
}

}  // namespace

std::string_view DeletePublishedText() noexcept { return kDeletePublished; }

void AddOutbox(Connection& connection, const LaneBatch& batch) {
  for (const OutboxRow& row : batch.outbox) {
    connection.Execute(
        "INSERT INTO outbox (projection, generation, `partition`, stream, first_offset, "
        "next_offset, outcomes) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        ToString(batch.projection), row.generation.value, row.partition.value,
        batch.projection.stream().name(), row.first.value, row.next.value, Blob{row.outcomes});
  }
}

void DeletePublished(Connection& connection, std::span<const LaneMove> moves) {
  for (const LaneMove& move : moves) {
    connection.Execute(kDeletePublished, ToString(move.lane.projection), move.lane.generation.value,
                       move.lane.partition.value, move.lane.stream.name(),
                       move.to.published_offset.value);
  }
}

void ReadOutbox(Connection& connection, std::span<TakenLane> lanes) {
  Statement select = connection.Prepare(
      "SELECT first_offset, next_offset, outcomes FROM outbox WHERE projection = ?1 AND generation "
      "= ?2 AND `partition` = ?3 AND stream = ?4 ORDER BY first_offset");
  for (TakenLane& one : lanes) {
    const LaneId& lane = one.lane;
    select.Bind(ToString(lane.projection), lane.generation.value, lane.partition.value,
                lane.stream.name());
    while (select.Next()) {
      one.outbox.push_back({lane.partition, lane.generation, Offset(select.I64(0)),
                            Offset(select.I64(1)), select.Text(2)});
    }
  }
}

void AddParked(Connection& connection, std::span<const ParkedRow> parked, std::int64_t now_ms) {
  for (const ParkedRow& row : parked) {
    connection.Execute(kAddParked, ToString(row.lane.projection), row.lane.generation.value,
                       row.lane.partition.value, row.offset.value, ToString(row.reason),
                       Cut(row.detail, kParkedDetailBytesMax), Cut(row.event_id, kEventIdBytesMax),
                       Cut(row.key, kParkedKeyBytesMax), row.appended_ms, row.lane.stream.name(),
                       now_ms);
  }
}

}  // namespace fanfold::sqlite
