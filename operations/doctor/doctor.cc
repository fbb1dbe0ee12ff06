#include "operations/doctor/doctor.h"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/deployment_check.h"
#include "operations/doctor/database_checks.h"
#include "operations/doctor/lane_checks.h"
#include "operations/doctor/loading_generations.h"
#include "operations/doctor/log_checks.h"
#include "operations/doctor/refused_events.h"
#include "operations/lanes/lanes.h"
#include "operations/lanes/status.h"
#include "operations/log/record_reader.h"
#include "operations/parked/parked_rows.h"

namespace fanfold::operations {
namespace {

constexpr std::size_t kParkedCountMax = 10'000;

// Asks one part after the other; one that is away leaves the others to be looked at.
class Doctor {
 public:
  explicit Doctor(Context& context) : context_(context) {}

  std::vector<Check> Look() {
    LookAtTransport();
    OpenTables();
    LookAtShards();
    LookAtTopics();
    OpenTheLog();
    LookAtDatabases();
    LookAtProjectors();
    LookAtLanes();
    LookAtGenerations();
    LookAtOpenWork();
    LookAtParked();
    return std::move(checks_);
  }

 private:
  void LookAtTransport() {
    Check check{"transport", "what leaves this machine goes over TLS, or is meant not to", {}};
    for (const std::string& line : context_.backend.plaintext()) check.Warn(line, "");
    checks_.push_back(std::move(check));
  }

  void OpenTables() {
    Result<ShardReaders> readers = OpenReaders(context_.backend);
    if (!readers) return Miss("catalog", readers.error());
    readers_ = std::move(*readers);
    lanes_ = ReadLanesThatAnswer(readers_);
    Result<Catalog> catalog = readers_.front()->ReadCatalog();
    if (!catalog) return Miss("catalog", catalog.error());
    catalog_ = *catalog;
    LookAtSlotMap();
  }

  void LookAtSlotMap() {
    if (catalog_->shape != ShapeOf(context_.backend)) return Skip({"slot map"}, "shape");
    const Result<Deployment> read = ReadNow(context_.backend, *readers_.front());
    if (read) placement_ = read->placement;
    checks_.push_back(CheckMapRead(catalog_->slot_map, read));
  }

  void LookAtShards() {
    const Shape configured = ShapeOf(context_.backend);
    if (const Status can_be = CheckConfigured(configured); !can_be) {
      return Miss("shards", can_be.error());
    }
    Check check{"shards", "each DSN names the schema of its shard", {}};
    std::optional<DeploymentId> known = context_.backend.pinned();
    for (std::int32_t s = 0; s < configured.shards; ++s) {
      const Shard shard(s);
      const Result<SchemaTraces> traces = context_.backend.LookAtSchema(shard);
      Status fits = traces ? CheckIdentity(shard, configured, known, traces->identity)
                           : std::unexpected(traces.error());
      if (fits && !known) known = traces->identity->deployment;
      if (fits) continue;
      const std::string why = OfShard(shard, fits.error()).error().message;
      if (fits.error().code == ErrorCode::kRefused) {
        check.Blame(why, "correct `shards` of the configuration before anything else");
      } else {
        check.Miss(why);
      }
    }
    checks_.push_back(std::move(check));
  }

  void OpenTheLog() {
    if (!has_topics_) return Skip({"foreign", "refused"}, "topics");
    Result<std::shared_ptr<EventLog>> log = context_.backend.OpenLog();
    if (!log) return Miss("log", log.error());
    log_ = std::move(*log);
    Result<AllEnds> ends = ReadAllEnds(*log_, context_.backend.partitions());
    if (!ends) return Miss("log", ends.error());
    ends_ = std::move(*ends);
    LookAtForeign();
    LookAtRefused();
  }

  void LookAtRefused() {
    const Result<RefusedEventsFacts> refused = ReadRefused(*log_, *ends_, context_.clock);
    if (!refused) return Miss("refused", refused.error());
    checks_.push_back(TellRefused(*refused));
  }

  void LookAtForeign() {
    ForeignCounts foreign;
    for (const Topic topic : Topic::All()) {
      const Result<std::int64_t> records =
          ForeignRecords(*log_, topic, context_.backend.partitions());
      if (!records) return Miss("foreign", records.error());
      foreign[topic] = *records;
    }
    checks_.push_back(CheckForeign(foreign));
  }

  void LookAtTopics() {
    const Result<LogFacts> log = context_.backend.ReadLogFacts();
    if (!log) {
      Miss("topics", log.error());
      return Skip({"retention", "append time", "replicas", "room", "producers", "shape"}, "topics");
    }
    has_topics_ = true;
    log_client_ = log->client;
    checks_.push_back(CheckRetention(*log));
    checks_.push_back(CheckAppendTime(*log));
    checks_.push_back(CheckReplicas(*log));
    checks_.push_back(CheckRoom(*log));
    checks_.push_back(CheckProducers(*log));
    checks_.push_back(CheckShape(*log, catalog_, ShapeOf(context_.backend)));
  }

  void LookAtDatabases() {
    std::vector<ShardFacts> shards;
    std::vector<std::string> missed;
    for (std::int32_t shard = 0; shard < context_.backend.shards(); ++shard) {
      const std::int64_t asked_ms = context_.clock.NowMs();
      Result<DatabaseFacts> facts = context_.backend.ReadDatabaseFacts(
          Shard(shard), catalog_ ? catalog_->read : ReadGenerations());
      if (facts) {
        // Which generations are read is not known.
        if (!catalog_) facts->indexes_wanted.clear();
        shards.push_back({Shard(shard), std::move(*facts), asked_ms, context_.clock.NowMs()});
        continue;
      }
      missed.push_back(fmt::format("shard {}", shard));
      Miss("database", {facts.error().code, missed.back() + ": " + facts.error().message});
    }
    if (shards.empty()) {
      return Skip({"versions", "migrations", "tables", "durability", "clocks"}, "database");
    }
    for (Check check :
         {CheckServers(shards, log_client_), CheckMigrations(shards), CheckIndexes(shards),
          CheckDurability(shards), CheckClocks(shards, NewestAppendMs(), context_.clock.NowMs())}) {
      for (const std::string& shard : missed) check.Miss(shard);
      if (!catalog_ && check.name == "tables")
        check.Miss("which generations are read is not known");
      checks_.push_back(std::move(check));
    }
  }

  void LookAtProjectors() {
    if (!has_topics_) return Skip({"projectors"}, "topics");
    std::vector<ProjectorFacts> projectors;
    for (const Projection projection : ProjectionsOf(std::nullopt)) {
      const Result<std::int32_t> processes = context_.backend.Projectors(projection);
      if (!processes) return Miss("projectors", processes.error());
      projectors.push_back({projection, *processes, {}});
      for (const ShardLane& lane : lanes_.lanes) {
        const bool says_running = lane.status.lane.projection == projection &&
                                  lane.status.state == LaneState::kRunning &&
                                  !lane.status.owner.empty();
        if (says_running) projectors.back().owners.insert(lane.status.owner);
      }
    }
    checks_.push_back(CheckProjectors(projectors));
  }

  void LookAtLanes() {
    std::vector<ShardLane> lanes;  // that somebody waits for, and those that wait for somebody
    std::ranges::copy_if(lanes_.lanes, std::back_inserter(lanes), [&](const ShardLane& lane) {
      return !catalog_ || IsRead(lane.status.lane, catalog_->read) ||
             lane.status.state == LaneState::kHalted;
    });
    if (lanes_.silent.size() == readers_.size()) return Skip({"lanes", "lag"}, "database");
    checks_.push_back(WithSilent(CheckLanes(lanes)));
    LookAtLag(lanes);
  }

  void LookAtLag(const std::vector<ShardLane>& lanes) {
    if (!catalog_) return Skip({"lag"}, "catalog");
    if (!ends_) return Skip({"lag"}, "topics");
    if (!placement_) return Skip({"lag"}, "slot map");
    std::vector<LaggingLane> lagging = LaggingLanes(*ends_, {*placement_, catalog_->read}, lanes);
    std::erase_if(lagging, [&](const LaggingLane& lane) {
      return std::ranges::find(lanes_.silent, lane.shard) != lanes_.silent.end();
    });
    const Result<LagFacts> lag = LagOf(lagging);
    if (!lag) return Miss("lag", lag.error());
    checks_.push_back(WithSilent(CheckLag(*lag)));
  }

  Check WithSilent(Check check) const {
    for (const Error& failure : lanes_.failures) check.Miss(failure.message);
    return check;
  }

  void LookAtGenerations() {
    const LoadingFound found = FindLoading(context_.backend, lanes_.silent);
    checks_.push_back(WithSilent(CheckGenerations(found.loading)));
    for (const std::string& shard : found.missed) checks_.back().Miss(shard);
  }

  void LookAtOpenWork() {
    if (readers_.empty()) return Skip({"open work"}, "catalog");
    checks_.push_back(WithSilent(CheckOpenWork(OpenWorkOf(readers_), context_.clock.NowMs())));
  }

  void LookAtParked() {
    if (readers_.empty()) return Skip({"parked"}, "catalog");
    ParkedCount count;
    for (const Projection projection : ProjectionsOf(std::nullopt)) {
      const auto rows = AllParked(readers_, projection, kParkedCountMax);
      if (!rows) return Miss("parked", rows.error());
      count.records += rows->size();
      count.more = count.more || rows->size() == kParkedCountMax;
    }
    checks_.push_back(CheckParked(count));
  }

  Result<LagFacts> LagOf(const std::vector<LaggingLane>& lagging) {
    std::map<Stream, std::set<Position>> oldest;
    for (const LaggingLane& lane : lagging) {
      oldest[lane.lane.projection.stream()].insert({lane.lane.partition, lane.at});
    }
    LagFacts lag{EventsLacking(lagging), 0};
    for (const auto& [stream, first] : oldest) {
      const auto records = ReadFirstFrom(*log_, stream.events(), {first.begin(), first.end()});
      if (!records) return std::unexpected(records.error());
      for (const auto& record : *records) {
        if (!record) continue;
        lag.oldest_ms = std::max(lag.oldest_ms, context_.clock.NowMs() - record->appended_ms);
      }
    }
    return lag;
  }

  // Of the last event of each partition; nothing where there is none, or it does not come.
  std::optional<std::int64_t> NewestAppendMs() {
    std::optional<std::int64_t> newest_ms;
    for (const Stream stream : Stream::All()) {
      const std::vector<Position> last =
          ends_ ? LastOf((*ends_)[stream.events()]) : std::vector<Position>();
      if (last.empty()) continue;
      const auto records = ReadRecords(*log_, stream.events(), last);
      if (!records) continue;
      for (const auto& record : *records) {
        if (record) newest_ms = std::max(newest_ms.value_or(0), record->appended_ms);
      }
    }
    return newest_ms;
  }

  void Miss(const char* name, const Error& why) { checks_.push_back(CannotLook(name, why)); }
  // What cannot be looked at for want of another.
  void Skip(std::initializer_list<const char*> names, const std::string& other) {
    for (const char* name : names) {
      checks_.push_back({name, "", {}});
      checks_.back().Miss("see `" + other + "`");
    }
  }

  Context& context_;
  ShardReaders readers_;
  LanesThatAnswer lanes_;
  std::optional<Catalog> catalog_;
  std::optional<Placement> placement_;  // of all that is read
  bool has_topics_ = false;
  std::string log_client_;
  std::shared_ptr<EventLog> log_;
  std::optional<AllEnds> ends_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> Examine(Context& context) { return Doctor(context).Look(); }

}  // namespace fanfold::operations
