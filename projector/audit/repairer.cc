#include "projector/audit/repairer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "common/ports/repair_base.h"
#include "projector/audit/settled_snapshot.h"

namespace fanfold::projector {
namespace {

bool IsOfRow(const Difference& difference) {
  return difference.kind != DifferenceKind::kNotInTopics &&
         difference.kind != DifferenceKind::kWrongCount;
}

struct ToMend {
  std::set<RowKey> rows;
  std::set<UserId> users;
};
// By shard and projection.
using Places = std::map<std::pair<Shard, Projection>, ToMend>;

Places PlacesOf(std::span<const Difference> differences) {
  Places places;
  for (const Difference& difference : differences) {
    if (difference.kind == DifferenceKind::kNotInTopics) continue;
    ToMend& place = places[{difference.shard, difference.projection}];
    place.users.insert(difference.user);
    if (IsOfRow(difference)) place.rows.insert({difference.user, difference.other});
  }
  return places;
}

std::map<Stream, std::set<RecordKey>> KeysOf(std::span<const Difference> differences) {
  std::map<Stream, std::set<RecordKey>> keys;
  for (const Difference& difference : differences) {
    if (!IsOfRow(difference)) continue;
    keys[difference.projection.stream()].insert(
        RecordOf(difference.projection, {difference.user, difference.other}));
  }
  return keys;
}

// The lanes whose owners remember something of these rows and counts.
std::vector<Partition> PartitionsOf(const RepairScope& scope, const Placement& placement) {
  std::set<Partition> partitions;
  for (const RowKey& key : scope.rows) {
    partitions.insert(placement.PartitionOf(RecordOf(scope.projection, key).subject));
  }
  if (scope.projection.rows() == RowsLive::kWithKey) {
    for (const UserId user : scope.users) partitions.insert(placement.PartitionOf(user));
  }
  return {partitions.begin(), partitions.end()};
}

// The lanes whose log the repair reads, and those that have found it to be another.
std::vector<LaneStatus> WitnessesOf(const RepairScope& scope, const RepairView& view) {
  std::vector<LaneStatus> witnesses;
  std::ranges::copy_if(view.lanes, std::back_inserter(witnesses), [&](const LaneStatus& status) {
    const bool is_read =
        std::ranges::find(scope.partitions, status.lane.partition) != scope.partitions.end();
    return is_read || status.state == LaneState::kHalted;
  });
  return witnesses;
}

bool HasRows(const ToMend& to_mend, UserId user) {
  const auto first = to_mend.rows.lower_bound({user, UserId(0)});
  return first != to_mend.rows.end() && first->user == user;
}

// In pieces of what one transaction may mend: rows first, each with its user's count, then the
// counts of users without any.
std::vector<RepairScope> ScopesOf(const ToMend& to_mend, const RepairScope& common,
                                  const Placement& placement) {
  std::vector<RepairScope> scopes;
  const auto add = [&](RepairScope scope) {
    std::ranges::sort(scope.users);
    const auto repeats = std::ranges::unique(scope.users);
    scope.users.erase(repeats.begin(), repeats.end());
    scope.partitions = PartitionsOf(scope, placement);
    scopes.push_back(std::move(scope));
  };
  RepairScope scope = common;
  for (const RowKey& key : to_mend.rows) {
    scope.rows.push_back(key);
    scope.users.push_back(key.user);
    if (scope.rows.size() == TableOperations::kRepairRowsMax) add(std::exchange(scope, common));
  }
  if (!scope.rows.empty()) add(std::exchange(scope, common));
  for (const UserId user : to_mend.users) {
    if (HasRows(to_mend, user)) continue;
    scope.users.push_back(user);
    if (scope.users.size() == TableOperations::kRepairUsersMax) add(std::exchange(scope, common));
  }
  if (!scope.users.empty()) add(scope);
  return scopes;
}

// Errors: kConflict, the lane folds again what it was rewound by.
Result<Offset> PositionOf(const RepairView& view, Partition partition) {
  const auto lane = std::ranges::find(
      view.lanes, partition, [](const LaneStatus& status) { return status.lane.partition; });
  if (lane == view.lanes.end()) return Offset(0);
  if (IsRewound(*lane)) return Fail(ErrorCode::kConflict, RewoundLane(*lane));
  return lane->progress.event_offset;
}

}  // namespace

Result<RepairReport> Repairer::Mend(std::span<const Difference> differences,
                                    const std::string& reason) {
  RepairReport report;
  const auto keys = KeysOf(differences);
  histories_.clear();
  for (const auto& [place, to_mend] : PlacesOf(differences)) {
    const auto [shard, projection] = place;
    const Stream stream = projection.stream();
    if (const auto of_stream = keys.find(stream);
        of_stream != keys.end() && !histories_.contains(stream)) {
      RowHistories& histories = histories_
                                    .try_emplace(stream, projection, ports_.log, ports_.pace,
                                                 ports_.placement.partitions(), of_stream->second)
                                    .first->second;
      if (Status read = histories.ReadOn(); !read) return Forward(read);
    }
    Result<std::unique_ptr<TableOperations>> tables = open_operations_(shard);
    if (!tables) return Forward(tables);
    RepairScope common;
    common.projection = projection;
    common.generation = generations_[projection];
    common.reason = reason;
    for (const RepairScope& scope : ScopesOf(to_mend, common, ports_.placement)) {
      if (Status mended = MendScope(**tables, shard, scope, report); !mended) {
        return Forward(mended);
      }
    }
    report.users.insert(to_mend.users.begin(), to_mend.users.end());
  }
  return report;
}

Result<std::vector<RowToBe>> Repairer::FoldKnown(const RepairScope& scope, Shard shard,
                                                 const RepairView& view) {
  std::vector<RowToBe> rows;
  for (const RowKey& key : scope.rows) {
    const RecordKey record = RecordOf(scope.projection, key);
    if (ports_.placement.ShardOf(key.user) != shard) {
      rows.emplace_back();  // must not be here
      continue;
    }
    const Result<Offset> position = PositionOf(view, ports_.placement.PartitionOf(record.subject));
    if (!position) return std::unexpected(position.error());
    Result<RowToBe> row =
        histories_.at(scope.projection.stream()).At(record, *position, view.outbox);
    if (!row) return Forward(row);
    rows.push_back(std::move(*row));
  }
  return rows;
}

// The lanes went on while the topics were read: what little came is read while they stand.
Result<std::vector<RowToBe>> Repairer::Fold(const RepairScope& scope, Shard shard,
                                            const RepairView& view) {
  if (Status same = ports_.proof.Check(WitnessesOf(scope, view)); !same) return Forward(same);
  Result<std::vector<RowToBe>> rows = FoldKnown(scope, shard, view);
  if (rows || rows.error().code != ErrorCode::kUnavailable) return rows;
  if (Status read = histories_.at(scope.projection.stream()).ReadOn(); !read) return Forward(read);
  return FoldKnown(scope, shard, view);
}

// Its snapshot is gone when it returns: nobody waits for it any longer.
Result<RepairBase> Repairer::SettledBase(const RepairScope& scope, Shard shard) const {
  const Result<std::unique_ptr<TableSnapshot>> settled =
      OpenSettled(ports_, shard, std::span(&scope.projection, 1), generations_);
  if (!settled) return std::unexpected(settled.error());
  // The database counts by itself: what it reads does not take of the pace.
  return ReadRepairBase(**settled, scope, [this] { return ports_.pace.Read(0); }, tally_rows_);
}

Status Repairer::MendScope(TableOperations& tables, Shard shard, const RepairScope& scope,
                           RepairReport& report) {
  for (int tries = 1;; ++tries) {
    const Result<RepairBase> base = SettledBase(scope, shard);
    if (!base) return std::unexpected(base.error());
    const Result<RepairDone> done = tables.Repair(
        scope, *base, [&](const RepairView& view) { return Fold(scope, shard, view); });
    if (done) {
      report.rows += done->rows.size();
      report.counts += done->counts.size();
      return {};
    }
    const bool again = done.error().code == ErrorCode::kConflict && tries < kTriesMax;
    if (!again) return std::unexpected(done.error());
  }
}

}  // namespace fanfold::projector
