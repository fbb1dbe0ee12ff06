#include "common/mysql/lane_claim.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>

#include "common/base/logging.h"
#include "common/base/random.h"
#include "common/mysql/lane_extras.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/sql_text.h"

namespace fanfold::mysql {
namespace {

constexpr std::string_view kTwoDeciders = "two_deciders";
constexpr int kLockWaitTimeout = 1205;
constexpr int kNoSuchThread = 1094;

std::vector<LaneRow> ReadLanes(Connection& connection, const std::string& sql) {
  std::vector<LaneRow> lanes;
  Rows rows = connection.Query(sql);
  while (rows.Next()) lanes.push_back(ReadLaneRow(rows));
  return lanes;
}

// Adds rows for new lanes, in a transaction of their own: an INSERT that meets a row would wait for
// its lock, and every lane but the first time has one.
void AddNewLanes(Connection& connection, std::span<const LaneId> lanes, LaneRole role) {
  std::set<LaneId> missing(lanes.begin(), lanes.end());
  for (const LaneRow& row : ReadLanes(connection, SelectLanes(lanes, ""))) missing.erase(row.lane);
  if (missing.empty()) return;
  connection.Execute(InsertLanes(std::vector<LaneId>(missing.begin(), missing.end()), role));
}

// Refuses, having halted them, when two generations decide about one of these partitions: one shard
// was restored from before a promotion, say.
void RefuseTwoDeciders(Connection& connection, Transaction& transaction,
                       std::span<const LaneId> lanes) {
  std::string sql = fmt::format(
      "SELECT {} FROM progress WHERE projection = 'following' AND role = 'decides' AND `partition` "
      "IN (",
      kLaneColumns);
  AppendList(sql, lanes, ", ", [](std::string& text, const LaneId& lane) {
    AppendNumber(text, lane.partition.value);
  });
  sql += ") ORDER BY `partition`, generation";
  const std::vector<LaneRow> deciders = ReadLanes(connection, sql);

  std::vector<LaneId> halted;
  for (const LaneRow& row : deciders) {
    const auto shared = std::ranges::count_if(deciders, [&row](const LaneRow& other) {
      return other.lane.partition == row.lane.partition;
    });
    if (shared > 1) halted.push_back(row.lane);
  }
  if (halted.empty()) return;
  connection.Execute(HaltLanes(halted, kTwoDeciders));
  transaction.Commit();
  std::string names;
  AppendList(names, halted, ", ",
             [](std::string& text, const LaneId& lane) { text += Describe(lane); });
  throw Failure(ErrorCode::kRefused, fmt::format("{}: {} are halted", kTwoDeciders, names));
}

std::vector<ClaimedLane> ClaimInTransaction(Connection& connection, std::span<const LaneId> lanes,
                                            const std::string& owner) {
  Transaction transaction(connection);
  std::vector<ClaimedLane> claimed;
  for (LaneRow& row : ReadLanes(connection, SelectLanes(lanes, " FOR UPDATE"))) {
    claimed.push_back({row.lane,
                       {row.token.epoch + 1, RandomBits()},
                       row.role,
                       row.state,
                       std::move(row.state_reason),
                       row.progress,
                       {}});
  }
  if (claimed.size() != lanes.size()) {
    throw Failure(ErrorCode::kConflict, "a lane went away while it was claimed");
  }
  if (std::ranges::any_of(lanes, [](const LaneId& lane) {
        return lane.projection == ProjectionKind::kFollowing;
      })) {
    RefuseTwoDeciders(connection, transaction, lanes);
  }
  connection.Execute(TakeLanes(claimed, owner));
  Rows outbox = connection.Query(SelectOutbox(claimed));
  ReadOutbox(outbox, claimed);
  transaction.Commit();
  return claimed;
}

// Ends the transactions that hold these lanes. Whoever changes a lane writes the number of its
// connection into the row, so a read of what is not committed yet names the connection to kill.
void KillHolders(Connection& connection, std::span<const LaneId> lanes) {
  std::string sql =
      "SELECT DISTINCT p.id FROM information_schema.PROCESSLIST p JOIN progress ON "
      "owner_connection = p.id AND p.db = DATABASE() AND p.id <> CONNECTION_ID() WHERE ";
  AppendLaneIsAnyOf(sql, lanes);
  connection.Execute("SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED");
  std::vector<std::uint64_t> holders;
  Rows rows = connection.Query(sql);
  while (rows.Next()) holders.push_back(rows.U64(0));
  for (const std::uint64_t holder : holders) {
    LogWarning("ending a transaction that holds lanes to be claimed", {{"connection", holder}});
    try {
      connection.Execute(fmt::format("KILL CONNECTION {}", holder));
    } catch (const Failure& failure) {
      if (failure.server_error() != kNoSuchThread) throw;
    }
  }
}

std::vector<LaneId> SortedUnique(std::span<const LaneId> lanes) {
  std::vector<LaneId> sorted(lanes.begin(), lanes.end());
  std::ranges::sort(sorted);
  const auto repeats = std::ranges::unique(sorted);
  sorted.erase(repeats.begin(), repeats.end());
  return sorted;
}

}  // namespace

std::vector<ClaimedLane> ClaimLanes(Connection& connection, std::span<const LaneId> lanes,
                                    LaneRole role_of_new, const std::string& owner) {
  const std::vector<LaneId> sorted = SortedUnique(lanes);
  if (sorted.empty()) return {};
  AddNewLanes(connection, sorted, role_of_new);
  try {
    return ClaimInTransaction(connection, sorted, owner);
  } catch (const Failure& failure) {
    if (failure.server_error() != kLockWaitTimeout) throw;
  }
  KillHolders(connection, sorted);
  return ClaimInTransaction(connection, sorted, owner);
}

}  // namespace fanfold::mysql
