// fanfold-reader: answers reads from the tables.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "common/base/clock.h"
#include "common/base/config.h"
#include "common/base/logging.h"
#include "common/base/metrics.h"
#include "common/base/shutdown.h"
#include "common/http/http_server.h"
#include "common/http/openapi.h"
#include "common/http/router.h"
#include "common/http/service_routes.h"
#include "common/kafka/kafka_event_log.h"
#include "common/mysql/mysql_store.h"
#include "reader/position_board.h"
#include "reader/position_poller.h"
#include "reader/position_waits.h"
#include "reader/query_pool.h"
#include "reader/read_executor.h"
#include "reader/routes.h"

namespace {

using namespace fanfold;

// A question to the database that takes longer than this is given up: 503.
constexpr std::int64_t kReadTimeoutMs = kStatementTimeoutMinMs;
// The slowest request that was taken: it waits for a position, then for the database.
constexpr std::int64_t kDrainTimeoutMs = kPositionTimeoutMaxMs + kReadTimeoutMs + 1000;
constexpr int kIoThreadsMax = 64;
constexpr std::uint16_t kPortMax = 65535;

struct Arguments {
  std::string config_path;
  std::optional<std::uint16_t> port;
  int threads = QueryPool::kThreadsDefault;
  int io_threads = 1;
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(const Config& config, const Arguments& arguments)
      : config_(config),
        log_(
            NewKafkaEventLog(KafkaOptions{.brokers = config.kafka_brokers, .space = config.space})),
        board_(clock_, static_cast<std::int32_t>(config.shards.size())),
        executor_(board_, waits_, pool_, clock_),
        pool_(Factory(), arguments.threads,
              metrics_.GetGauge("fanfold_reader_queue", "Queries that wait for a worker")),
        waits_(board_, clock_),
        rechecker_([this](const std::stop_token& stop) { waits_.Run(stop); }),
        poller_(board_, Factory(), *log_, metrics_, clock_) {
    AddReaderRoutes(router_, executor_, metrics_);
    http::AddServiceRoutes(
        router_, metrics_, [this] { return board_.Ready(); }, std::string(http::OpenApi()));
  }

  // Errors: those of HttpServer::Start.
  Result<std::uint16_t> Serve(const Arguments& arguments) {
    http::ServerOptions options;
    options.bind = config_.bind;
    options.port = arguments.port.value_or(config_.reader_port);
    options.io_threads = arguments.io_threads;
    options.drain_timeout_ms = kDrainTimeoutMs;
    Result<std::unique_ptr<http::HttpServer>> server =
        http::HttpServer::Start(options, [this](const http::Request& request, http::Reply reply) {
          router_(request, std::move(reply));
        });
    if (!server) return Forward(server);
    server_ = *std::move(server);
    return server_->port();
  }

  // Finishes what was taken.
  void Stop() { server_->Stop(); }

 private:
  ReaderFactory Factory() const {
    return [shards = config_.shards](Shard shard) {
      return NewMysqlProjectionReader(shards.at(static_cast<std::size_t>(shard.value)),
                                      MysqlOptions{.statement_timeout_ms = kReadTimeoutMs});
    };
  }

  // Workers and waits call back into executor and server until they are gone, so those stand first.
  const Config config_;
  SystemClock clock_;
  Metrics metrics_;
  http::Router router_;
  std::unique_ptr<http::HttpServer> server_;
  std::unique_ptr<EventLog> log_;
  PositionBoard board_;
  ReadExecutor executor_;
  QueryPool pool_;
  PositionWaits waits_;
  std::jthread rechecker_;
  PositionPoller poller_;
};

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
  Reader reader(*config, arguments);
  const Result<std::uint16_t> port = reader.Serve(arguments);
  if (!port) {
    LogError("cannot listen", {{"why", port.error().message}});
    return EXIT_FAILURE;
  }
  LogInfo("serving", {{"port", *port}});
  shutdown.Wait();
  LogInfo("stopping");
  reader.Stop();
  LogInfo("stopped");
  // All that was taken is answered and the reader keeps nothing. A question to the log may be under
  // way that librdkafka does not give up while the brokers are away: it is not waited for.
  std::quick_exit(EXIT_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (const std::optional<int> status = ParseArguments(argc, argv, arguments)) return *status;
  return Run(arguments);
}
