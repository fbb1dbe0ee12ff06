#include "common/sqlite/lane_rows.h"

#include <fmt/format.h>
#include <set>
#include <string>

#include "common/sql/sql_text.h"

namespace fanfold::sqlite {
namespace {

constexpr std::string_view kLaneIs =
    "projection = ?1 AND generation = ?2 AND `partition` = ?3 AND stream = ?4";

std::string UpdateText(std::string_view set, std::string_view also) {
  return fmt::format("UPDATE progress SET {} WHERE {}{}", set, kLaneIs, also);
}

// Changes one lane, whose key is ?1 to ?4, to `set` where `also` holds: how many rows matched.
template <class... Values>
std::int64_t UpdateLane(Connection& connection, const LaneId& lane, std::string_view set,
                        std::string_view also, const Values&... values) {
  return connection.Execute(UpdateText(set, also), ToString(lane.projection), lane.generation.value,
                            lane.partition.value, lane.stream.name(), values...);
}

}  // namespace

std::string SelectLaneText() {
  return fmt::format("SELECT {} FROM progress WHERE {}", kLaneColumns, kLaneIs);
}

std::string MoveLaneText() {
  return UpdateText(
      "next_offset = ?5, event_offset = ?6, outcome_offset = ?7, published_offset = ?8, "
      "last_digest = ?9, updated_ms = ?10, folded_offset = max(folded_offset, ?6), event_mark = "
      "?15, event_digest = ?16, applied_mark = ?17, applied_digest = ?18",
      " AND owner_epoch = ?11 AND owner_nonce = ?12 AND next_offset = ?13 AND role = ?14 AND state "
      "= 'running'");
}

std::vector<LaneRow> ReadLanes(Connection& connection, std::span<const LaneId> lanes) {
  std::vector<LaneRow> rows;
  Statement select = connection.Prepare(SelectLaneText());
  for (const LaneId& lane : lanes) {
    select.Bind(ToString(lane.projection), lane.generation.value, lane.partition.value,
                lane.stream.name());
    if (select.Next()) rows.push_back(ReadLaneRow(select));
  }
  return rows;
}

std::vector<LaneRow> ReadLanesOfPartition(Connection& connection, Projection projection,
                                          Partition partition) {
  std::vector<LaneRow> lanes;
  Statement select = connection.Prepare(
      fmt::format("SELECT {} FROM progress WHERE projection = ?1 AND `partition` = ?2 "
                  "ORDER BY generation",
                  kLaneColumns));
  select.Bind(ToString(projection), partition.value);
  while (select.Next()) lanes.push_back(ReadLaneRow(select));
  return lanes;
}

std::vector<LaneRow> ReadDeciders(Connection& connection, Projection projection,
                                  std::span<const LaneId> lanes) {
  std::set<Partition> partitions;
  for (const LaneId& lane : lanes) partitions.insert(lane.partition);
  std::vector<LaneRow> deciders;
  Statement select = connection.Prepare(
      fmt::format("SELECT {} FROM progress WHERE projection = ?1 AND role = 'decides' AND "
                  "`partition` = ?2 ORDER BY generation",
                  kLaneColumns));
  for (const Partition partition : partitions) {
    select.Bind(ToString(projection), partition.value);
    while (select.Next()) deciders.push_back(ReadLaneRow(select));
  }
  return deciders;
}

void AddLanes(Connection& connection, std::span<const LaneId> lanes, bool deciding,
              std::int64_t now_ms) {
  for (const LaneId& lane : lanes) {
    connection.Execute(
        "INSERT INTO progress (projection, generation, `partition`, stream, role, updated_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
        ToString(lane.projection), lane.generation.value, lane.partition.value, lane.stream.name(),
        RoleText(deciding), now_ms);
  }
}

void WriteFences(Connection& connection, std::span<const TakenLane> taken, std::string_view owner,
                 std::int64_t now_ms) {
  const std::string name = PrintableAscii(owner, kOwnerBytesMax);
  for (const TakenLane& one : taken) {
    UpdateLane(connection, one.lane,
               "owner_epoch = ?5, owner_nonce = ?6, owner = ?7, updated_ms = ?8", "",
               one.fence.epoch, one.fence.nonce, name, now_ms);
  }
}

std::size_t MoveLanes(Connection& connection, std::span<const LaneMove> moves,
                      std::int64_t now_ms) {
  std::int64_t matched = 0;
  Statement move = connection.Prepare(MoveLaneText());
  for (const LaneMove& step : moves) {
    const LaneProgress& to = step.to;
    matched +=
        move.Bind(ToString(step.lane.projection), step.lane.generation.value,
                  step.lane.partition.value, step.lane.stream.name(), to.next_offset.value,
                  to.event_offset.value, to.outcome_offset.value, to.published_offset.value,
                  LastDigest(to, step.deciding), now_ms, step.fence.epoch, step.fence.nonce,
                  step.from_next_offset.value, RoleText(step.deciding), to.event_mark.offset.value,
                  to.event_mark.digest, to.applied_mark.offset.value, to.applied_mark.digest)
            .Execute();
  }
  return static_cast<std::size_t>(matched);
}

bool SetLaneState(Connection& connection, const LaneFence& one, LaneState state,
                  std::string_view reason, std::int64_t now_ms) {
  return UpdateLane(connection, one.lane, "state = ?5, state_reason = ?6, updated_ms = ?7",
                    " AND owner_epoch = ?8 AND owner_nonce = ?9", ToString(state),
                    PrintableAscii(reason, kStateReasonBytesMax), now_ms, one.fence.epoch,
                    one.fence.nonce) == 1;
}

void HaltLanes(Connection& connection, std::span<const LaneId> lanes, std::string_view reason,
               std::int64_t now_ms) {
  for (const LaneId& lane : lanes) {
    UpdateLane(connection, lane, "state = 'halted', state_reason = ?5, updated_ms = ?6", "",
               PrintableAscii(reason, kStateReasonBytesMax), now_ms);
  }
}

void ForgetOwner(Connection& connection, std::span<const LaneFence> lanes, std::int64_t now_ms) {
  for (const LaneFence& one : lanes) {
    UpdateLane(connection, one.lane, "owner = '', updated_ms = ?5",
               " AND owner_epoch = ?6 AND owner_nonce = ?7", now_ms, one.fence.epoch,
               one.fence.nonce);
  }
}

std::vector<GenerationRow> GenerationRows(Connection& connection) {
  std::vector<GenerationRow> generations;
  Statement select = connection.Prepare(
      fmt::format("SELECT {} FROM generations WHERE {}", kGenerationColumns, OfKnownProjections()));
  while (select.Next()) generations.push_back(ReadGenerationRow(select));
  SortAsListed(generations);
  return generations;
}

}  // namespace fanfold::sqlite
