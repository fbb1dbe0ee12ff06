#include "common/mysql/lane_rows.h"

#include <algorithm>
#include <concepts>
#include <fmt/format.h>
#include <functional>
#include <iterator>

#include "common/mysql/index_names.h"
#include "common/mysql/sql_text.h"

namespace fanfold::mysql {
namespace {

// Whoever changes a lane leaves the number of its connection, so that whoever wants the lane and
// waits for the lane's lock knows whose transaction holds it.
constexpr std::string_view kChangedHere = "owner_connection = CONNECTION_ID(), updated_ms = ";

void AppendTokenIs(std::string& sql, const Fence& fence) {
  fmt::format_to(std::back_inserter(sql), " AND owner_epoch = {} AND owner_nonce = {}", fence.epoch,
                 fence.nonce);
}

void AppendValue(std::string& sql, std::integral auto number) { AppendNumber(sql, number); }
void AppendValue(std::string& sql, std::string_view name) { AppendName(sql, name); }

bool AreOfOneTable(const LaneId& one, const LaneId& other) {
  return one.projection == other.projection && one.generation == other.generation &&
         one.stream == other.stream;
}

// What each lane's row is to hold or holds: the value that all share, or CASE `partition` WHEN p
// THEN value … END. ORs of whole keys would say it, too, and cost the server their number squared
// (1,024 lanes: seconds).
template <class Item, class Value>
void AppendByLane(std::string& sql, std::span<const Item> items, const Value& value) {
  const auto first = value(items.front());
  if (std::ranges::all_of(items, [&](const Item& item) { return value(item) == first; })) {
    return AppendValue(sql, first);
  }
  const bool of_one_table = std::ranges::all_of(
      items, [&](const Item& item) { return AreOfOneTable(item.lane, items.front().lane); });
  sql += of_one_table ? "CASE `partition`" : "CASE";
  for (const Item& item : items) {
    sql += " WHEN ";
    if (of_one_table) {
      AppendNumber(sql, item.lane.partition.value);
    } else {
      AppendLaneIs(sql, item.lane);
    }
    sql += " THEN ";
    AppendValue(sql, value(item));
  }
  sql += " END";
}

template <class Item>
void AppendLanesWithTokens(std::string& sql, std::span<const Item> items) {
  AppendLaneIsAnyOf(sql, LanesOf(items));
  sql += " AND owner_epoch = ";
  AppendByLane(sql, items, [](const Item& item) { return item.fence.epoch; });
  sql += " AND owner_nonce = ";
  AppendByLane(sql, items, [](const Item& item) { return item.fence.nonce; });
}

}  // namespace

void AppendName(std::string& sql, std::string_view name) {
  sql += '\'';
  sql += name;
  sql += '\'';
}

void AppendLaneIs(std::string& sql, const LaneId& lane) {
  fmt::format_to(std::back_inserter(sql),
                 "projection = '{}' AND generation = {} AND `partition` = {} AND stream = '{}'",
                 ToString(lane.projection), lane.generation.value, lane.partition.value,
                 lane.stream.name());
}

void AppendLaneIsAnyOf(std::string& sql, std::span<const LaneId> lanes) {
  std::string_view joint = "(";
  for (auto from = lanes.begin(); from != lanes.end();) {
    const auto last = std::adjacent_find(from, lanes.end(), std::not_fn(AreOfOneTable));
    const auto to = last == lanes.end() ? last : std::next(last);
    fmt::format_to(std::back_inserter(sql),
                   "{}projection = '{}' AND generation = {} AND stream = '{}' AND `partition` IN (",
                   joint, ToString(from->projection), from->generation.value, from->stream.name());
    AppendList(sql, std::span(from, to), ", ", [](std::string& text, const LaneId& lane) {
      AppendNumber(text, lane.partition.value);
    });
    sql += ')';
    joint = " OR ";
    from = to;
  }
  sql += ')';
}

std::string SelectLanes(std::span<const LaneId> lanes, std::string_view locking) {
  std::string sql =
      fmt::format("SELECT {} FROM progress FORCE INDEX ({}) WHERE ", kLaneColumns, kPrimaryIndex);
  AppendLaneIsAnyOf(sql, lanes);
  sql += " ORDER BY projection, generation, `partition`, stream";
  sql += locking;
  return sql;
}

std::string SelectLanesOfPartitionForUpdate(Projection projection, Partition partition) {
  return fmt::format(
      "SELECT {} FROM progress FORCE INDEX ({}) WHERE projection = '{}' AND `partition` = {} "
      "ORDER BY generation FOR UPDATE",
      kLaneColumns, kPrimaryIndex, ToString(projection), partition.value);
}

std::string SelectFoldedGenerations(Projection projection) {
  return fmt::format(
      "SELECT generation, decides, slot_map FROM generations WHERE projection = '{}' AND state = "
      "'folding' "
      "ORDER BY generation",
      ToString(projection));
}

std::string InsertLanes(std::span<const LaneId> lanes, bool deciding) {
  std::string sql =
      "INSERT INTO progress (projection, generation, `partition`, stream, role, updated_ms) "
      "VALUES ";
  AppendList(sql, lanes, ", ", [deciding](std::string& text, const LaneId& lane) {
    fmt::format_to(std::back_inserter(text), "('{}', {}, {}, '{}', '{}', {})",
                   ToString(lane.projection), lane.generation.value, lane.partition.value,
                   lane.stream.name(), RoleText(deciding), kNowMs);
  });
  return sql + " ON DUPLICATE KEY UPDATE role = role";
}

std::string WriteFences(std::span<const TakenLane> taken, const std::string& owner) {
  std::string sql = fmt::format("UPDATE progress FORCE INDEX ({}) SET owner = ", kPrimaryIndex);
  AppendWords(sql, owner, kOwnerBytesMax);
  sql += ", owner_epoch = ";
  AppendByLane(sql, taken, [](const TakenLane& lane) { return lane.fence.epoch; });
  sql += ", owner_nonce = ";
  AppendByLane(sql, taken, [](const TakenLane& lane) { return lane.fence.nonce; });
  fmt::format_to(std::back_inserter(sql), ", {}{} WHERE ", kChangedHere, kNowMs);
  AppendLaneIsAnyOf(sql, LanesOf(taken));
  return sql;
}

std::string MoveLanes(std::span<const LaneMove> moves) {
  std::string sql = fmt::format("UPDATE progress FORCE INDEX ({}) SET ", kPrimaryIndex);
  const auto set = [&](std::string_view column, const auto& value) {
    sql += column;
    sql += " = ";
    AppendByLane(sql, moves, [&](const LaneMove& move) { return value(move.to); });
    sql += ", ";
  };
  set("next_offset", [](const LaneProgress& to) { return to.next_offset.value; });
  set("event_offset", [](const LaneProgress& to) { return to.event_offset.value; });
  set("outcome_offset", [](const LaneProgress& to) { return to.outcome_offset.value; });
  set("published_offset", [](const LaneProgress& to) { return to.published_offset.value; });
  set("event_mark", [](const LaneProgress& to) { return to.event_mark.offset.value; });
  set("event_digest", [](const LaneProgress& to) { return to.event_mark.digest; });
  set("applied_mark", [](const LaneProgress& to) { return to.applied_mark.offset.value; });
  set("applied_digest", [](const LaneProgress& to) { return to.applied_mark.digest; });
  sql += "last_digest = ";
  AppendByLane(sql, moves, [](const LaneMove& move) { return LastDigest(move.to, move.deciding); });
  sql += ", ";
  // Of the column as it is assigned above.
  sql += "folded_offset = GREATEST(folded_offset, event_offset), ";
  fmt::format_to(std::back_inserter(sql), "{}{} WHERE ", kChangedHere, kNowMs);
  AppendLanesWithTokens(sql, moves);
  sql += " AND next_offset = ";
  AppendByLane(sql, moves, [](const LaneMove& move) { return move.from_next_offset.value; });
  sql += " AND role = ";
  AppendByLane(sql, moves, [](const LaneMove& move) { return RoleText(move.deciding); });
  sql += " AND state = 'running'";
  return sql;
}

std::string SetLaneState(const LaneId& lane, const Fence& fence, LaneState state,
                         std::string_view reason) {
  std::string sql =
      fmt::format("UPDATE progress SET state = '{}', state_reason = ", ToString(state));
  AppendWords(sql, reason, kStateReasonBytesMax);
  fmt::format_to(std::back_inserter(sql), ", {}{} WHERE ", kChangedHere, kNowMs);
  AppendLaneIs(sql, lane);
  AppendTokenIs(sql, fence);
  return sql;
}

std::string HaltLanes(std::span<const LaneId> lanes, std::string_view reason) {
  std::string sql = "UPDATE progress FORCE INDEX (PRIMARY) SET state = 'halted', state_reason = ";
  AppendWords(sql, reason, kStateReasonBytesMax);
  fmt::format_to(std::back_inserter(sql), ", {}{} WHERE ", kChangedHere, kNowMs);
  AppendLaneIsAnyOf(sql, lanes);
  return sql;
}

std::string ForgetOwner(std::span<const LaneFence> lanes) {
  std::string sql = fmt::format("UPDATE progress FORCE INDEX ({}) SET owner = '', {}{} WHERE ",
                                kPrimaryIndex, kChangedHere, kNowMs);
  AppendLanesWithTokens(sql, lanes);
  return sql;
}

}  // namespace fanfold::mysql
