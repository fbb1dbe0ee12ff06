#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/base/metrics.h"
#include "common/base/shutdown.h"
#include "common/kafka/files_gauge.h"
#include "common/kafka/kafka_event_log.h"
#include "common/kafka/kafka_partition_ownership.h"
#include "common/mysql/mysql_store.h"
#include "common/ports/deployment.h"
#include "common/ports/deployment_check.h"
#include "common/service/process.h"
#include "common/service/service.h"
#include "projector/audit/auditor.h"
#include "projector/folds.h"
#include "projector/runtime/projector.h"
#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {
namespace {

std::vector<std::string> ProjectionNames() {
  std::vector<std::string> names;
  names.reserve(kProjections.size());
  for (const ProjectionEntry& projection : kProjections) names.emplace_back(projection.name);
  return names;
}

std::string OwnerName() {
  char host[256] = "localhost";
  (void)gethostname(host, sizeof host - 1);
  return fmt::format("{}/{}", host, getpid());
}

// The shards' schemas, as the configuration names them: each session asks whose it has reached.
class Schemas {
 public:
  Schemas(const Config& config, const Shape& configured)
      : config_(config), own_(configured, config.deployment_id) {}

  [[nodiscard]] const std::string& DsnOf(Shard shard) const {
    return config_.shards[static_cast<std::size_t>(shard.value)];
  }
  [[nodiscard]] MysqlOptions OptionsOf(Shard shard) { return {.check = own_.Of(shard)}; }

 private:
  const Config& config_;
  OwnSchemas own_;
};

// Opens what of a shard is asked for, by one of the adapter's functions.
template <class Open>
auto Opening(Schemas& schemas, const Open& open) {
  return [&schemas, open](Shard shard) {
    return open(schemas.DsnOf(shard), schemas.OptionsOf(shard));
  };
}

Status CheckShard(Schemas& schemas, Shard shard) {
  const auto reader = NewMysqlProjectionReader(schemas.DsnOf(shard), schemas.OptionsOf(shard));
  const Status fits = reader ? (*reader)->Ping() : std::unexpected(reader.error());
  if (fits) return fits;
  return OfShard(shard, fits.error());
}

// P is the catalog's, whatever the topics have. Errors: kRefused, tables, configuration and topics
// do not belong together; others pass.
Status CheckDeployment(EventLog& log, Stream stream, Schemas& schemas, const Shape& configured) {
  for (std::int32_t shard = 0; shard < configured.shards; ++shard) {
    Status fits = CheckShard(schemas, Shard(shard));
    // One that is away delays its own lanes alone, which ask again before they are taken.
    const bool passes = !fits && shard > 0 && fits.error().code == ErrorCode::kUnavailable;
    if (!fits && !passes) return fits;
  }
  const auto first = NewMysqlProjectionReader(schemas.DsnOf(Shard(0)), schemas.OptionsOf(Shard(0)));
  if (!first) return std::unexpected(first.error());
  if (const auto read = ReadDeployment(**first, configured); !read) {
    return OfShard(Shard(0), read.error());
  }
  for (const Topic topic : Topic::All()) {
    if (topic.stream() != stream) continue;
    if (Status fits = CheckTopic(log, topic, configured.partitions); !fits) return fits;
  }
  const Result<Catalog> catalog = (*first)->ReadCatalog();
  return catalog ? CheckLog(log, *catalog) : OfShard(Shard(0), catalog.error());
}

// What /readyz says: what the process waits for until it has a projector, then that one's.
class Readiness {
 public:
  void Await(Error what) {
    Say([what = std::move(what)] { return std::unexpected(what); });
  }
  void Say(std::function<Status()> health) {
    const std::scoped_lock lock(mutex_);
    health_ = std::move(health);
  }
  [[nodiscard]] Status Now() const {
    const std::scoped_lock lock(mutex_);
    return health_();
  }

 private:
  mutable std::mutex mutex_;
  std::function<Status()> health_ = [] { return Fail(ErrorCode::kUnavailable, "starting"); };
};

// For as long as the projector is there.
class ServedHealth {
 public:
  ServedHealth(Readiness& readiness, const Projector& projector) : readiness_(readiness) {
    readiness_.Say([&projector] { return projector.Health(); });
  }
  ~ServedHealth() { readiness_.Await({ErrorCode::kUnavailable, "stopping"}); }
  ServedHealth(const ServedHealth&) = delete;
  ServedHealth& operator=(const ServedHealth&) = delete;

 private:
  Readiness& readiness_;
};

// Tables and topics may come after the process: waits for them, until told to stop.
Status WaitForDeployment(EventLog& log, Stream stream, Schemas& schemas, const Shape& configured,
                         Readiness& readiness, ShutdownSignal& stop) {
  constexpr std::int64_t kRetryMs = 1000;
  while (true) {
    Status found = CheckDeployment(log, stream, schemas, configured);
    if (found) return found;
    const bool passes =
        found.error().code == ErrorCode::kUnavailable || found.error().code == ErrorCode::kNotFound;
    if (!passes) return found;
    LogWarning("waiting for the deployment", {{"error", found.error().message}});
    readiness.Await({found.error().code, "waiting for the deployment: " + found.error().message});
    if (stop.WaitFor(kRetryMs)) return Fail(ErrorCode::kRefused, "stopped");
  }
}

Status Serve(const std::string& name, const Config& config, ShutdownSignal& stop) {
  const Shape shape{config.partitions, static_cast<std::int32_t>(config.shards.size())};
  if (Status valid = CheckConfigured(shape); !valid) return valid;
  const KafkaOptions kafka{.brokers = config.kafka_brokers,
                           .space = config.space,
                           .bounds = {.timeout_ms = ShardWorker::kBoundsWaitMs},
                           .client = config.kafka};
  const auto made = NewKafkaEventLog(kafka);
  if (!made) return std::unexpected(made.error());
  EventLog& log = **made;
  const std::unique_ptr<const Fold> fold =
      NewFold(Projection::Find(name).value(), FollowLimit(config.follow_limit),
              {config.push_fans_max, config.inbox_length, config.inbox_active_days});
  const SystemClock clock;
  Metrics metrics;
  const KafkaFilesGauge kafka_files(metrics);
  Readiness readiness;
  const auto ports = ServicePorts::Open(config, {.port = config.projector_port},
                                        {{}, [&] { return readiness.Now(); }}, metrics);
  if (!ports) return std::unexpected(ports.error());
  Schemas schemas(config, shape);
  const Status found =
      WaitForDeployment(log, fold->projection().stream(), schemas, shape, readiness, stop);
  if (!found) return found;

  // Outlives the projector, which leaves by it.
  const std::unique_ptr<PartitionOwnership> ownership =
      NewKafkaPartitionOwnership({.kafka = kafka,
                                  .group = ProjectorGroup(name),
                                  .topic = fold->projection().stream().events(),
                                  .session_timeout_ms = config.session_timeout_ms});
  const auto open_reader = Opening(schemas, NewMysqlProjectionReader);
  const auto open_snapshot = Opening(schemas, NewMysqlTableSnapshot);
  const auto open_store = Opening(schemas, NewMysqlLaneStore);
  ProjectorMetrics series(metrics, fold->projection());  // from now on it is one that folds
  Projector projector(
      *fold, shape.shards, OwnerName(),
      {log, open_store, [&](SlotMapId map) { return AskPlacement(open_reader, shape, map); },
       [&](Projection projection) { return AskGenerationRead(open_reader, projection); }, clock,
       series});
  const ServedHealth served(readiness, projector);
  if (Status started = projector.Start(*ownership); !started) return started;
  const auto owns = [&projector](Partition partition) { return projector.Owns(partition); };
  const std::unique_ptr<Task> task =
      fold->NewTask({log, open_reader, open_snapshot, open_store, shape, owns, clock, metrics});
  // One process of several has the first partition, and audits for all.
  const Auditor auditor(
      {log, open_reader, open_snapshot, Opening(schemas, NewMysqlTableOperations), shape,
       open_store},
      {fold->projection()}, [&owns] { return owns(Partition(0)); },
      {.mode = ParseAuditMode(config.audit).value_or(AuditMode::kRepair),
       .rows_per_second = config.audit_rows_per_second},
      metrics);
  LogInfo("ready", {{"projection", name}, {"port", (*ports)->port()}});
  stop.Wait();
  LogInfo("stopping");
  projector.Stop();
  (*ports)->Stop();
  return {};
}

}  // namespace
}  // namespace fanfold::projector

int main(int argc, char** argv) {
  std::string projection;
  return fanfold::RunProcess(
      argc, argv,
      {.program = fanfold::Program::kProjector,
       .name = "projector",
       .about =
           "Folds the log into tables. Run any number of processes of each projection: they share\n"
           "the partitions, take over from a dead one and never apply an event twice.\n"
           "Example: fanfold-projector --projection following --config fanfold.toml",
       .serve =
           [&](const fanfold::Config& config, fanfold::ShutdownSignal& stop) {
             return fanfold::projector::Serve(projection, config, stop);
           },
       .add_flags =
           [&](CLI::App& app) {
             app.add_option("--projection", projection, "whose tables are folded")
                 ->required()
                 ->check(CLI::IsMember(fanfold::projector::ProjectionNames()));
           },
       .logged_as = [&] { return "projector-" + projection; }});
}
