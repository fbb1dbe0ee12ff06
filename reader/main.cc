// fanfold-reader: answers reads from the tables.
#include <cstdint>
#include <memory>
#include <utility>

#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/base/metrics.h"
#include "common/base/shutdown.h"
#include "common/kafka/files_gauge.h"
#include "common/kafka/kafka_event_log.h"
#include "common/mysql/mysql_store.h"
#include "common/ports/deployment_check.h"
#include "common/service/process.h"
#include "common/service/service.h"
#include "reader/answers.h"
#include "reader/reader_service.h"

namespace {

using namespace fanfold;
using namespace fanfold::reader;

// A question to the database that takes longer than this is given up: 503.
constexpr std::int64_t kReadTimeoutMs = kStatementTimeoutMinMs;

Status Serve(const Config& config, ShutdownSignal& shutdown) {
  if (config.shards.empty()) return Fail(ErrorCode::kInvalidArgument, "shards is missing");
  auto log = NewKafkaEventLog(
      {.brokers = config.kafka_brokers, .space = config.space, .client = config.kafka});
  if (!log) return Forward(log);
  const Shape configured{config.partitions, static_cast<std::int32_t>(config.shards.size())};
  if (Status valid = CheckConfigured(configured); !valid) return valid;
  const SystemClock clock;
  Metrics metrics;
  const KafkaFilesGauge kafka_files(metrics);
  std::unique_ptr<ServicePorts> ports;  // outlive the service, which still answers to them
  OwnSchemas own(configured, config.deployment_id);
  const ReaderFactory factory = [&config, &own](Shard shard) {
    return NewMysqlProjectionReader(
        config.shards.at(static_cast<std::size_t>(shard.value)),
        MysqlOptions{.statement_timeout_ms = kReadTimeoutMs, .check = own.Of(shard)});
  };
  ReaderService service(**log, factory, configured,
                        {.threads = config.reader_threads,
                         .cache = {.lists_bytes = config.cache_mib << 20},
                         .tenant_bytes = config.tenant_mib << 20,
                         .posts_bytes = config.posts_mib << 20},
                        metrics, clock);
  http::ServerOptions options;
  options.port = config.reader_port;
  options.io_threads = config.reader_io_threads;
  auto opened =
      ServicePorts::Open(config, options,
                         {.add_routes = [&](http::Router& router) { service.AddRoutes(router); },
                          .ready = [&] { return service.Ready(); },
                          .retire = [&] { service.Retire(); },
                          .failures = {kStoreUnavailable}},
                         metrics);
  if (!opened) return Forward(opened);
  ports = *std::move(opened);
  LogInfo("serving", {{"port", ports->port()}});
  shutdown.Wait();
  LogInfo("stopping");
  ports->Stop(&shutdown);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  return RunProcess(
      argc, argv,
      {.program = Program::kReader,
       .name = "reader",
       .about = "Answers reads of who follows whom from the tables that the projectors build.",
       .serve = Serve});
}
