#include "common/mysql/take_lanes.h"

#include <fmt/format.h>
#include <set>
#include <utility>

#include "common/base/logging.h"
#include "common/mysql/generation_tables.h"
#include "common/mysql/index_names.h"
#include "common/mysql/lane_extras.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/lane_writings.h"
#include "common/mysql/sql_text.h"
#include "common/sql/generation_rules.h"
#include "common/sql/lane_fences.h"

namespace fanfold::mysql {
namespace {

constexpr int kLockWaitTimeout = 1205;
constexpr int kNoSuchThread = 1094;

void AppendLanes(Connection& connection, const std::string& sql, std::vector<LaneRow>& lanes) {
  Rows rows = connection.Query(sql);
  while (rows.Next()) lanes.push_back(ReadLaneRow(rows));
}

// By key, as `sorted` is.
std::vector<LaneRow> ReadLanes(Connection& connection, std::span<const LaneId> sorted,
                               std::string_view locking) {
  std::vector<LaneRow> lanes;
  for (const std::span<const LaneId> some : OfEachProjection(sorted)) {
    AppendLanes(connection, SelectLanes(some, locking), lanes);
  }
  return lanes;
}

std::vector<LaneRow> ReadDeciders(Connection& connection, Projection projection,
                                  std::span<const LaneId> lanes) {
  std::string sql = fmt::format(
      "SELECT {} FROM progress WHERE projection = '{}' AND role = 'decides' AND `partition` IN (",
      kLaneColumns, ToString(projection));
  AppendList(sql, lanes, ", ", [](std::string& text, const LaneId& lane) {
    AppendNumber(text, lane.partition.value);
  });
  std::vector<LaneRow> deciders;
  AppendLanes(connection, sql + ") ORDER BY `partition`, generation", deciders);
  return deciders;
}

// Adds rows for new lanes, in a transaction of their own: an INSERT that meets a row would wait for
// its lock, and every lane but the first time has one.
void AddNewLanes(Connection& connection, std::span<const LaneId> lanes, bool deciding) {
  const std::vector<LaneId> missing = WithoutRow(lanes, ReadLanes(connection, lanes, ""));
  if (missing.empty()) return;
  Transaction transaction(connection);
  CheckFolded(GenerationRows(connection, " LOCK IN SHARE MODE"), missing);
  if (deciding) {
    for (const auto& [projection, made] : DecidingLanes(missing)) {
      const auto applying = DecidedByAnother(made, ReadDeciders(connection, projection, made));
      if (!applying.empty()) connection.Execute(InsertLanes(applying, kApplying));
    }
  }
  connection.Execute(InsertLanes(missing, deciding));  // of those that have none yet
  transaction.Commit();
}

// Where two generations decide about one of these partitions, both are halted.
void HaltTwoDeciders(Connection& connection, Projection projection, std::span<const LaneId> lanes,
                     std::span<TakenLane> taken) {
  const std::vector<LaneId> halted = SharingDeciders(ReadDeciders(connection, projection, lanes));
  if (halted.empty()) return;
  connection.Execute(HaltLanes(halted, halt_reasons::kTwoDeciders.name()));
  SayTwoDeciders(halted, taken);
}

std::vector<TakenLane> TakeInTransaction(Connection& connection, std::span<const LaneId> lanes,
                                         const std::string& owner) {
  Transaction transaction(connection);
  std::vector<LaneRow> rows = ReadLanes(connection, lanes, " FOR UPDATE");
  std::vector<TakenLane> taken = TakenOver(lanes, rows);
  for (const auto& [projection, deciding] : DecidingLanes(lanes)) {
    HaltTwoDeciders(connection, projection, deciding, taken);
  }
  connection.Execute(WriteFences(taken, owner));
  Rows outbox = connection.Query(SelectOutbox(taken));
  ReadOutbox(outbox, taken);
  transaction.Commit();
  return taken;
}

Writings ReadWritings(Connection& connection, std::span<const LaneId> lanes) {
  std::string sql = fmt::format(
      "SELECT CONCAT_WS(' ', projection, generation, `partition`, stream, updated_ms), "
      "owner_connection "
      "FROM progress FORCE INDEX ({}) WHERE ",
      kPrimaryIndex);
  AppendLaneIsAnyOf(sql, lanes);
  Writings writings;
  Rows rows = connection.Query(sql);
  while (rows.Next()) writings.emplace(rows.Text(0), rows.U64(1));
  return writings;
}

Writings ReadUncommittedWritings(Connection& connection, std::span<const LaneId> lanes) {
  connection.Execute("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");  // of the next one alone
  return ReadWritings(connection, lanes);
}

WritingLooks LookAtWritings(Connection& connection, std::span<const LaneId> lanes) {
  WritingLooks looks;
  looks.seen = ReadUncommittedWritings(connection, lanes);
  looks.committed = ReadWritings(connection, lanes);
  looks.seen_again = ReadUncommittedWritings(connection, lanes);
  looks.committed_again = ReadWritings(connection, lanes);
  return looks;
}

// False: nobody's transaction is known to hold them.
bool KillHolders(Connection& connection, std::span<const LaneId> lanes) {
  const std::set<std::uint64_t> holders = HoldersOf(LookAtWritings(connection, lanes));
  for (const std::uint64_t holder : holders) {
    LogWarning("ending a transaction that holds lanes that are to be taken",
               {{"connection", holder}});
    try {
      connection.Execute(fmt::format("KILL CONNECTION {}", holder));
    } catch (const Failure& failure) {
      if (failure.native() != kNoSuchThread) throw;
    }
  }
  return !holders.empty();
}

}  // namespace

std::vector<TakenLane> TakeLanes(Connection& connection, std::span<const LaneId> lanes,
                                 bool new_decide, const std::string& owner) {
  const std::vector<LaneId> sorted = SortedUnique(lanes);
  if (sorted.empty()) return {};
  AddNewLanes(connection, sorted, new_decide);
  try {
    return TakeInTransaction(connection, sorted, owner);
  } catch (const Failure& failure) {
    if (failure.native() != kLockWaitTimeout || !KillHolders(connection, sorted)) throw;
  }
  return TakeInTransaction(connection, sorted, owner);
}

}  // namespace fanfold::mysql
