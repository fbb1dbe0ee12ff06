#include "common/mysql/lane_rows.h"

#include <fmt/format.h>
#include <iterator>

#include "common/mysql/index_names.h"
#include "common/mysql/sql_text.h"

namespace fanfold::mysql {
namespace {

// Whoever changes a lane leaves the number of its connection, so that a claim that waits for the
// lane's lock knows whose transaction holds it.
constexpr std::string_view kChangedHere = "owner_connection = CONNECTION_ID(), updated_ms = ";

void AppendTokenIs(std::string& sql, const LaneToken& token) {
  fmt::format_to(std::back_inserter(sql), " AND owner_epoch = {} AND owner_nonce = {}", token.epoch,
                 token.nonce);
}

// column = CASE `partition` WHEN p THEN value … END
template <class Value>
void AppendCase(std::string& sql, std::string_view column, std::span<const LaneMove> moves,
                const Value& value) {
  sql += column;
  sql += " = CASE `partition`";
  for (const LaneMove& move : moves) {
    sql += " WHEN ";
    AppendNumber(sql, move.lane.partition.value);
    sql += " THEN ";
    AppendNumber(sql, value(move.to));
  }
  sql += " END, ";
}

void AppendMoveMatches(std::string& sql, const LaneMove& move) {
  sql += '(';
  AppendLaneIs(sql, move.lane);
  AppendTokenIs(sql, move.token);
  sql += " AND next_offset = ";
  AppendNumber(sql, move.from_next_offset.value);
  sql += " AND role = ";
  AppendName(sql, ToString(move.role));
  sql += " AND state = 'running')";
}

}  // namespace

void AppendName(std::string& sql, std::string_view name) {
  sql += '\'';
  sql += name;
  sql += '\'';
}

void AppendLaneIs(std::string& sql, const LaneId& lane) {
  fmt::format_to(std::back_inserter(sql),
                 "projection = '{}' AND generation = {} AND `partition` = {}",
                 ToString(lane.projection), lane.generation.value, lane.partition.value);
}

void AppendLaneIsAnyOf(std::string& sql, std::span<const LaneId> lanes) {
  sql += '(';
  AppendList(sql, lanes, " OR ", [](std::string& text, const LaneId& lane) {
    text += '(';
    AppendLaneIs(text, lane);
    text += ')';
  });
  sql += ')';
}

std::string SelectLanes(std::span<const LaneId> lanes, std::string_view locking) {
  std::string sql =
      fmt::format("SELECT {} FROM progress FORCE INDEX ({}) WHERE ", kLaneColumns, kPrimaryIndex);
  AppendLaneIsAnyOf(sql, lanes);
  sql += " ORDER BY projection, generation, `partition`";
  sql += locking;
  return sql;
}

std::string SelectLanesOfPartitionForUpdate(Partition partition) {
  return fmt::format(
      "SELECT {} FROM progress FORCE INDEX ({}) WHERE projection = 'following' AND `partition` = "
      "{} "
      "ORDER BY generation FOR UPDATE",
      kLaneColumns, kPrimaryIndex, partition.value);
}

std::string SelectFoldedGenerations(ProjectionKind projection) {
  return fmt::format(
      "SELECT generation, decides FROM generations WHERE projection = '{}' AND state = 'folding' "
      "ORDER BY generation",
      ToString(projection));
}

std::string InsertLanes(std::span<const LaneId> lanes, LaneRole role) {
  std::string sql =
      "INSERT INTO progress (projection, generation, `partition`, role, updated_ms) VALUES ";
  AppendList(sql, lanes, ", ", [role](std::string& text, const LaneId& lane) {
    fmt::format_to(std::back_inserter(text), "('{}', {}, {}, '{}', {})", ToString(lane.projection),
                   lane.generation.value, lane.partition.value, ToString(role), kNowMs);
  });
  return sql + " ON DUPLICATE KEY UPDATE role = role";
}

std::string TakeLanes(std::span<const ClaimedLane> claimed, const std::string& owner) {
  std::string sql = fmt::format("UPDATE progress FORCE INDEX ({}) SET owner = ", kPrimaryIndex);
  AppendWords(sql, owner, kOwnerBytesMax);
  // The epoch before the nonce: CASE looks at columns that are not assigned here.
  const auto append_case = [&](std::string_view column, auto value) {
    fmt::format_to(std::back_inserter(sql), ", {} = CASE", column);
    for (const ClaimedLane& lane : claimed) {
      sql += " WHEN ";
      AppendLaneIs(sql, lane.lane);
      fmt::format_to(std::back_inserter(sql), " THEN {}", value(lane));
    }
    sql += " END";
  };
  append_case("owner_epoch", [](const ClaimedLane& lane) { return lane.token.epoch; });
  append_case("owner_nonce", [](const ClaimedLane& lane) { return lane.token.nonce; });
  fmt::format_to(std::back_inserter(sql), ", {}{} WHERE ", kChangedHere, kNowMs);
  AppendList(sql, claimed, " OR ", [](std::string& text, const ClaimedLane& lane) {
    text += '(';
    AppendLaneIs(text, lane.lane);
    text += ')';
  });
  return sql;
}

std::string MoveLanes(std::span<const LaneMove> moves) {
  std::string sql = fmt::format("UPDATE progress FORCE INDEX ({}) SET ", kPrimaryIndex);
  AppendCase(sql, "next_offset", moves,
             [](const LaneProgress& to) { return to.next_offset.value; });
  AppendCase(sql, "event_offset", moves,
             [](const LaneProgress& to) { return to.event_offset.value; });
  AppendCase(sql, "outcome_offset", moves,
             [](const LaneProgress& to) { return to.outcome_offset.value; });
  AppendCase(sql, "published_offset", moves,
             [](const LaneProgress& to) { return to.published_offset.value; });
  AppendCase(sql, "last_digest", moves, [](const LaneProgress& to) { return to.last_digest; });
  // Of the column as it is assigned above.
  sql += "folded_offset = GREATEST(folded_offset, event_offset), ";
  fmt::format_to(std::back_inserter(sql), "{}{} WHERE ", kChangedHere, kNowMs);
  AppendList(sql, moves, " OR ", AppendMoveMatches);
  return sql;
}

std::string SetLaneState(const LaneId& lane, const LaneToken& token, LaneState state,
                         std::string_view reason) {
  std::string sql =
      fmt::format("UPDATE progress SET state = '{}', state_reason = ", ToString(state));
  AppendWords(sql, reason, kStateReasonBytesMax);
  fmt::format_to(std::back_inserter(sql), ", {}{} WHERE ", kChangedHere, kNowMs);
  AppendLaneIs(sql, lane);
  AppendTokenIs(sql, token);
  return sql;
}

std::string HaltLanes(std::span<const LaneId> lanes, std::string_view reason) {
  std::string sql = "UPDATE progress FORCE INDEX (PRIMARY) SET state = 'halted', state_reason = ";
  AppendWords(sql, reason, kStateReasonBytesMax);
  fmt::format_to(std::back_inserter(sql), ", {}{} WHERE ", kChangedHere, kNowMs);
  AppendLaneIsAnyOf(sql, lanes);
  return sql;
}

std::string ForgetOwner(std::span<const LaneClaim> lanes) {
  std::string sql = fmt::format("UPDATE progress FORCE INDEX ({}) SET owner = '', {}{} WHERE ",
                                kPrimaryIndex, kChangedHere, kNowMs);
  AppendList(sql, lanes, " OR ", [](std::string& text, const LaneClaim& lane) {
    text += '(';
    AppendLaneIs(text, lane.lane);
    AppendTokenIs(text, lane.token);
    text += ')';
  });
  return sql;
}

}  // namespace fanfold::mysql
