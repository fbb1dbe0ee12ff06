#include "cli/doctor.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/database_checks.h"
#include "cli/lane_checks.h"
#include "cli/lanes.h"
#include "cli/log_checks.h"
#include "cli/parked_rows.h"
#include "cli/record_reader.h"
#include "common/ports/deployment_check.h"

namespace fanfold {
namespace {

constexpr std::size_t kParkedCountMax = 10'000;

// Asks one part after the other; one that is away leaves the others to be looked at.
class Doctor {
 public:
  explicit Doctor(Session& session) : session_(session) {}

  std::vector<Check> Look() {
    OpenTables();
    LookAtShards();
    if (LookAtTopics()) OpenTheLog();
    LookAtDatabases();
    LookAtLanes();
    LookAtParked();
    return std::move(checks_);
  }

 private:
  void OpenTables() {
    Result<ShardReaders> readers = OpenReaders(session_.backend);
    if (!readers) return Miss("catalog", readers.error());
    readers_ = std::move(*readers);
    Result<Catalog> catalog = readers_.front()->ReadCatalog();
    if (!catalog) return Miss("catalog", catalog.error());
    catalog_ = *catalog;
  }

  void LookAtShards() {
    const Result<Placement> configured = ConfiguredPlacement(session_.backend);
    if (!configured) return Miss("shards", configured.error());
    Check check{"shards", "each DSN names the schema of its shard", {}};
    for (std::size_t s = 0; s < readers_.size(); ++s) {
      const Status fits =
          CheckShard(*readers_[s], Shard(static_cast<std::int32_t>(s)), *configured);
      if (fits) continue;
      if (fits.error().code != ErrorCode::kRefused) return Miss("shards", fits.error());
      check.Blame(fits.error().message,
                  "correct `shards` of the configuration before anything else");
    }
    checks_.push_back(std::move(check));
  }

  void OpenTheLog() {
    Result<std::shared_ptr<EventLog>> log = session_.backend.OpenLog();
    if (!log) return Miss("log", log.error());
    log_ = std::move(*log);
    Result<LogEnds> ends = ReadEnds(*log_, Topic::kEvents, session_.backend.partitions());
    if (!ends) return Miss("log", ends.error());
    ends_ = std::move(*ends);
    LookAtForeign();
  }

  void LookAtForeign() {
    ForeignCounts foreign;
    for (const auto& [topic, count] : {std::pair(Topic::kEvents, &foreign.events),
                                       std::pair(Topic::kOutcomes, &foreign.outcomes)}) {
      const Result<std::int64_t> records =
          ForeignRecords(*log_, topic, session_.backend.partitions());
      if (!records) return Miss("foreign", records.error());
      *count = *records;
    }
    checks_.push_back(CheckForeign(foreign));
  }

  bool LookAtTopics() {
    const Result<LogFacts> log = session_.backend.ReadLogFacts();
    if (!log) {
      Miss("topics", log.error());
      return false;
    }
    log_client_ = log->client;
    checks_.push_back(CheckRetention(*log));
    checks_.push_back(CheckAppendTime(*log));
    checks_.push_back(CheckReplicas(*log));
    checks_.push_back(CheckProducers(*log));
    checks_.push_back(
        CheckShape(*log, catalog_, {session_.backend.partitions(), session_.backend.shards()}));
    return true;
  }

  void LookAtDatabases() {
    std::vector<ShardFacts> shards;
    for (std::int32_t shard = 0; shard < session_.backend.shards(); ++shard) {
      const std::int64_t asked_ms = session_.clock.NowMs();
      Result<DatabaseFacts> facts = session_.backend.ReadDatabaseFacts(
          Shard(shard), catalog_ ? catalog_->read : ReadGenerations());
      if (!facts) {
        Miss("database",
             {facts.error().code, fmt::format("shard {}: {}", shard, facts.error().message)});
        continue;
      }
      shards.push_back({Shard(shard), std::move(*facts), asked_ms, session_.clock.NowMs()});
    }
    if (shards.empty()) return;
    checks_.push_back(CheckServers(shards, log_client_));
    checks_.push_back(CheckMigrations(shards));
    checks_.push_back(CheckIndexes(shards));
    checks_.push_back(CheckDurability(shards));
    const std::optional<std::int64_t> newest_ms = NewestAppendMs();
    checks_.push_back(CheckClocks(shards, newest_ms, session_.clock.NowMs()));
  }

  void LookAtLanes() {
    if (!catalog_) return;
    Result<std::vector<ShardLane>> lanes = ReadLanes(readers_);
    if (!lanes) return Miss("lanes", lanes.error());
    std::vector<ShardLane> read;
    std::ranges::copy_if(*lanes, std::back_inserter(read), [&](const ShardLane& lane) {
      return IsRead(lane.status.lane, catalog_->read);
    });
    checks_.push_back(CheckLanes(read));
    if (!ends_) return;
    const Result<LagFacts> lag =
        LagOf(LaggingLanes(*ends_, catalog_->read, session_.backend.shards(), read));
    if (!lag) return Miss("lag", lag.error());
    checks_.push_back(CheckLag(*lag));
  }

  void LookAtParked() {
    if (readers_.empty()) return;
    ParkedCount count;
    for (const ProjectionKind projection : ProjectionsOf(std::nullopt)) {
      const auto rows = AllParked(readers_, projection, kParkedCountMax);
      if (!rows) return Miss("parked", rows.error());
      count.records += rows->size();
      count.more = count.more || rows->size() == kParkedCountMax;
    }
    checks_.push_back(CheckParked(count));
  }

  Result<LagFacts> LagOf(const std::vector<LaggingLane>& lagging) {
    std::set<Position> oldest;
    for (const LaggingLane& lane : lagging) oldest.insert({lane.lane.partition, lane.at});
    const auto records =
        ReadRecords(*log_, Topic::kEvents, std::vector<Position>(oldest.begin(), oldest.end()));
    if (!records) return std::unexpected(records.error());
    LagFacts lag{EventsLacking(lagging), 0};
    for (const auto& record : *records) {
      if (!record) continue;
      lag.oldest_ms = std::max(lag.oldest_ms, session_.clock.NowMs() - record->appended_ms);
    }
    return lag;
  }

  // Of the last event of each partition; nothing where there is none, or it does not come.
  std::optional<std::int64_t> NewestAppendMs() {
    std::vector<Position> last;
    for (std::size_t p = 0; ends_ && p < ends_->size(); ++p) {
      const Offset end = (*ends_)[p];
      if (end == Offset(0)) continue;
      last.push_back({Partition(static_cast<std::int32_t>(p)), Offset(end.value - 1)});
    }
    std::optional<std::int64_t> newest_ms;
    if (last.empty()) return newest_ms;
    const auto records = ReadRecords(*log_, Topic::kEvents, last);
    if (!records) return newest_ms;
    for (const auto& record : *records) {
      if (record) newest_ms = std::max(newest_ms.value_or(0), record->appended_ms);
    }
    return newest_ms;
  }

  void Miss(const char* name, const Error& why) { checks_.push_back(CannotLook(name, why)); }

  Session& session_;
  ShardReaders readers_;
  std::optional<Catalog> catalog_;
  std::string log_client_;
  std::shared_ptr<EventLog> log_;
  std::optional<LogEnds> ends_;
  std::vector<Check> checks_;
};

}  // namespace

ExitCode RunDoctor(Session& session, const DoctorOptions& /*options*/) {
  const std::vector<Check> checks = Doctor(session).Look();
  if (session.json) {
    session.console.PrintLine(ChecksJson(checks));
  } else {
    session.console.Print(ChecksText(checks));
  }
  session.console.Flush();
  return ExitCodeOf(checks);
}

}  // namespace fanfold
