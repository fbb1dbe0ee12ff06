#include "common/mysql/lane_extras.h"

#include <fmt/format.h>
#include <iterator>

#include "common/mysql/index_names.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/sql_text.h"
#include "common/sql/lane_fences.h"
#include "common/stream/event_id.h"

namespace fanfold::mysql {

std::string InsertOutbox(Projection projection, std::span<const OutboxRow> rows) {
  std::string sql =
      "INSERT INTO outbox (projection, generation, `partition`, stream, first_offset, next_offset, "
      "outcomes)"
      " VALUES ";
  AppendList(sql, rows, ", ", [projection](std::string& text, const OutboxRow& row) {
    fmt::format_to(std::back_inserter(text), "('{}', {}, {}, '{}', {}, {}, ", ToString(projection),
                   row.generation.value, row.partition.value, projection.stream().name(),
                   row.first.value, row.next.value);
    AppendBytes(text, row.outcomes);
    text += ')';
  });
  return sql;
}

std::string DeletePublished(std::span<const LaneMove> moves) {
  std::string sql = "DELETE FROM outbox WHERE ";
  AppendList(sql, moves, " OR ", [](std::string& text, const LaneMove& move) {
    text += '(';
    AppendLaneIs(text, move.lane);
    // A published row begins below the mark: that bounds the range of the key, and leaves the rows
    // of the batch itself alone.
    fmt::format_to(std::back_inserter(text), " AND first_offset < {0} AND next_offset <= {0})",
                   move.to.published_offset.value);
  });
  return sql;
}

std::string SelectOutbox(std::span<const TakenLane> lanes) {
  std::string sql = fmt::format(
      "SELECT projection, generation, `partition`, first_offset, next_offset, outcomes, stream "
      "FROM "
      "outbox FORCE INDEX ({}) WHERE ",
      kPrimaryIndex);
  AppendLaneIsAnyOf(sql, LanesOf(lanes));
  return sql + " ORDER BY projection, generation, `partition`, stream, first_offset";
}

void ReadOutbox(Rows& rows, std::span<TakenLane> lanes) {
  while (rows.Next()) {
    const LaneId lane{ProjectionNamed(rows.Text(0)), Generation(rows.I32(1)),
                      Partition(rows.I32(2)), StreamNamed(rows.Text(6))};
    GiveOutboxRow(
        lanes, lane,
        {lane.partition, lane.generation, Offset(rows.I64(3)), Offset(rows.I64(4)), rows.Text(5)});
  }
}

std::string InsertParked(std::span<const ParkedRow> parked) {
  std::string sql = fmt::format("INSERT INTO parked ({}, parked_ms) VALUES ", kParkedColumns);
  AppendList(sql, parked, ", ", [](std::string& text, const ParkedRow& row) {
    fmt::format_to(std::back_inserter(text), "('{}', {}, {}, {}, '{}', ",
                   ToString(row.lane.projection), row.lane.generation.value,
                   row.lane.partition.value, row.offset.value, ToString(row.reason));
    AppendBytes(text, std::string_view(row.detail).substr(0, kParkedDetailBytesMax));
    text += ", ";
    AppendBytes(text, std::string_view(row.event_id).substr(0, kEventIdBytesMax));
    text += ", ";
    AppendBytes(text, std::string_view(row.key).substr(0, kParkedKeyBytesMax));
    fmt::format_to(std::back_inserter(text), ", {}, '{}', {})", row.appended_ms,
                   row.lane.stream.name(), kNowMs);
  });
  // A record that is read again after a rewind is parked already.
  return sql + " ON DUPLICATE KEY UPDATE reason = VALUES(reason), detail = VALUES(detail)";
}

}  // namespace fanfold::mysql
