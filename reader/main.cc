// fanfold-reader: answers reads from the tables.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/base/clock.h"
#include "common/base/config.h"
#include "common/base/logging.h"
#include "common/base/metrics.h"
#include "common/base/shutdown.h"
#include "common/http/access.h"
#include "common/http/http_server.h"
#include "common/http/openapi.h"
#include "common/http/router.h"
#include "common/http/service_routes.h"
#include "common/kafka/kafka_event_log.h"
#include "common/mysql/mysql_store.h"
#include "common/ports/deployment_check.h"
#include "reader/reader_service.h"

namespace {

using namespace fanfold;
using namespace fanfold::reader;

// A question to the database that takes longer than this is given up: 503.
constexpr std::int64_t kReadTimeoutMs = kStatementTimeoutMinMs;
// The slowest request that was taken: the database's last answer may take its whole time. An export
// may take longer and is cut.
constexpr std::int64_t kDrainTimeoutMs = ReadExecutor::kReadMaxMs + kReadTimeoutMs;
constexpr int kIoThreadsMax = 64;
constexpr std::uint16_t kPortMax = 65535;
constexpr std::size_t kCacheMibDefault = 1024;
constexpr std::size_t kTenantMibDefault = 128;
constexpr std::size_t kCacheMibMax = std::size_t{1} << 20;

struct Arguments {
  std::string config_path;
  std::optional<std::uint16_t> port;
  int threads = QueryPool::kThreadsDefault;
  int io_threads = 1;
  std::size_t cache_mib = kCacheMibDefault;
  std::size_t tenant_mib = kTenantMibDefault;
};

// Nothing when there is a service to run; otherwise the process's exit status.
std::optional<int> ParseArguments(int argc, char** argv, Arguments& arguments) {
  CLI::App app("Answers reads of who follows whom from the tables that the projectors build.",
               "fanfold-reader");
  app.set_version_flag("--version", "fanfold-reader " FANFOLD_VERSION);
  app.add_option("--config", arguments.config_path, "Configuration, a JSON file")->required();
  app.add_option("--port", arguments.port, "Port to listen on instead of the configured one")
      ->check(CLI::Range(std::uint16_t{0}, kPortMax));
  app.add_option("--threads", arguments.threads,
                 "Queries of the database at once; each has its own connection to every shard")
      ->check(CLI::Range(1, QueryPool::kThreadsMax))
      ->capture_default_str();
  app.add_option("--io-threads", arguments.io_threads, "Threads that serve connections")
      ->check(CLI::Range(1, kIoThreadsMax))
      ->capture_default_str();
  app.add_option("--cache-mib", arguments.cache_mib,
                 "Memory for lists that follow the outcomes, MiB; 0: everything from the tables")
      ->check(CLI::Range(std::size_t{0}, kCacheMibMax))
      ->capture_default_str();
  app.add_option("--tenant-mib", arguments.tenant_mib,
                 "Memory for what follows each further topic, as profiles do, MiB; 0: everything "
                 "from the tables")
      ->check(CLI::Range(std::size_t{0}, kCacheMibMax))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return std::nullopt;
}

// Serves until the signal, then finishes what was taken. Errors: those of HttpServer::Start.
Status Serve(const Config& config, const Shape& configured, const Arguments& arguments,
             ShutdownSignal& shutdown) {
  const SystemClock clock;
  Metrics metrics;
  http::Router router;
  std::unique_ptr<http::HttpServer> server;  // outlives the service, which still answers to it
  const std::unique_ptr<EventLog> log =
      NewKafkaEventLog({.brokers = config.kafka_brokers, .space = config.space});
  OwnSchemas own(configured, config.deployment_id);
  const ReaderFactory factory = [&config, &own](Shard shard) {
    return NewMysqlProjectionReader(
        config.shards.at(static_cast<std::size_t>(shard.value)),
        MysqlOptions{.statement_timeout_ms = kReadTimeoutMs, .check = own.Of(shard)});
  };
  ReaderService service(*log, factory, configured,
                        {.threads = arguments.threads,
                         .cache = {.lists_bytes = arguments.cache_mib << 20},
                         .tenant_bytes = arguments.tenant_mib << 20},
                        metrics, clock);
  service.AddRoutes(router);
  http::AddServiceRoutes(
      router, metrics, [&] { return service.Ready(); }, std::string(http::OpenApi()));
  http::ServerOptions options;
  options.bind = config.bind;
  options.port = arguments.port.value_or(config.reader_port);
  options.io_threads = arguments.io_threads;
  options.drain_timeout_ms = kDrainTimeoutMs;
  Result<std::unique_ptr<http::HttpServer>> started = http::HttpServer::Start(
      options, http::Guarded({config.bind, config.hosts, config.origins}, router));
  if (!started) return Forward(started);
  server = *std::move(started);
  LogInfo("serving", {{"port", server->port()}});
  shutdown.Wait();
  LogInfo("stopping");
  server->Stop();
  return {};
}

int Run(const Arguments& arguments) {
  ShutdownSignal shutdown;  // before any thread
  StartLogging("fanfold-reader", LogLevel::kInfo);
  const Result<Config> config = LoadConfig(arguments.config_path);
  if (!config) {
    LogError("the configuration is not usable", {{"why", config.error().message}});
    return EXIT_FAILURE;
  }
  if (config->shards.empty()) {
    LogError("the configuration is not usable", {{"why", "shards is missing"}});
    return EXIT_FAILURE;
  }
  const Shape shape{config->partitions, static_cast<std::int32_t>(config->shards.size())};
  if (const Status valid = CheckConfigured(shape); !valid) {
    LogError("the configuration is not usable", {{"why", valid.error().message}});
    return EXIT_FAILURE;
  }
  const Status served = Serve(*config, shape, arguments, shutdown);
  if (served) return EXIT_SUCCESS;
  LogError("cannot listen", {{"why", served.error().message}});
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (const std::optional<int> status = ParseArguments(argc, argv, arguments)) return *status;
  return Run(arguments);
}
