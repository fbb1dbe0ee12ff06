// fanfold-writer: takes commands over HTTP and appends their events to the log.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
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
#include "common/base/random.h"
#include "common/base/shutdown.h"
#include "common/http/http_server.h"
#include "common/http/openapi.h"
#include "common/http/service_routes.h"
#include "common/kafka/kafka_event_log.h"
#include "writer/command_parser.h"
#include "writer/command_service.h"
#include "writer/log_watch.h"
#include "writer/metered_appender.h"
#include "writer/outcome_follower.h"
#include "writer/routes.h"

namespace fanfold::writer {
namespace {

constexpr std::int64_t kMarginMs = 2'000;
// Everything taken is answered within the append's timeout or the longest wait.
constexpr std::int64_t kDrainTimeoutMs =
    std::max(AppenderOptions().delivery_timeout_ms, kWaitTimeoutMsMax) + kMarginMs;
constexpr std::int64_t kGaugeIntervalMs = 1'000;
constexpr unsigned kIoThreadsMax = 4;
constexpr unsigned kCoresPerIoThread = 2;  // the other one is the log client's

int IoThreads() {
  return static_cast<int>(
      std::clamp(std::thread::hardware_concurrency() / kCoresPerIoThread, 1U, kIoThreadsMax));
}

Status ReadyStatus(const LogWatch& watch, const OutcomeFollower& follower) {
  if (Status reachable = watch.reachable(); !reachable) return reachable;
  if (!follower.is_following()) {
    return Fail(ErrorCode::kUnavailable, "outcomes are not followed yet");
  }
  return {};
}

// Serves until the signal, then finishes what was taken.
Status Serve(const Config& config, ShutdownSignal& shutdown) {
  const SystemClock clock;
  Metrics metrics;
  Gauge& waiting = metrics.GetGauge("fanfold_writer_waiters", "Requests waiting for an outcome.");
  const auto log = NewKafkaEventLog({config.kafka_brokers, config.space});

  OutcomeWaiters waiters(clock, OutcomeWaiters::kWaitersMaxDefault);
  CommandService service(waiters, clock, RandomBits());
  const std::jthread timer([&](const std::stop_token& stop) { waiters.ExpireUntil(stop); });
  OutcomeFollower follower(*log, waiters);
  LogWatch watch(*log, [&](std::int32_t partitions) -> Status {
    Result<std::unique_ptr<LogAppender>> appender = log->NewAppender(Topic::kEvents, {});
    if (!appender) return Forward(appender);
    service.Connect(partitions, NewMeteredAppender(std::move(*appender), metrics));
    return {};
  });

  http::Router router;
  AddWriterRoutes(router, service, metrics);
  http::AddServiceRoutes(
      router, metrics, [&] { return ReadyStatus(watch, follower); }, std::string(http::OpenApi()));
  http::ServerOptions options;
  options.bind = config.bind;
  options.port = config.writer_port;
  options.io_threads = IoThreads();
  options.drain_timeout_ms = kDrainTimeoutMs;
  Result<std::unique_ptr<http::HttpServer>> server = http::HttpServer::Start(options, router);
  if (!server) return Forward(server);

  LogInfo("serving", {{"bind", config.bind}, {"port", (*server)->port()}});
  while (!shutdown.WaitFor(kGaugeIntervalMs)) waiting.Set(static_cast<double>(waiters.size()));
  LogInfo("stopping");
  (*server)->Stop();
  if (!service.Flush(AppenderOptions().delivery_timeout_ms + kMarginMs)) {
    LogWarning("stopped with events on their way to the log");
  }
  LogInfo("stopped");
  return {};
}

int Main(int argc, char** argv) {
  ShutdownSignal shutdown;
  CLI::App app("Takes follow and unfollow commands over HTTP and appends their events to the log.",
               "fanfold-writer");
  std::string config_path;
  std::optional<std::uint16_t> port;
  app.add_option("--config", config_path, "The deployment's configuration (JSON)")->required();
  app.add_option("--port", port, "Port to listen on instead of writer_port; 0: any free one");
  app.set_version_flag("--version", "fanfold-writer " FANFOLD_VERSION);
  CLI11_PARSE(app, argc, argv);

  StartLogging("writer", LogLevel::kInfo);
  Result<Config> config = LoadConfig(config_path);
  if (!config) {
    LogError("configuration refused", {{"error", config.error().message}});
    return 1;
  }
  if (port) config->writer_port = *port;
  if (Status served = Serve(*config, shutdown); !served) {
    LogError("cannot serve", {{"error", served.error().message}});
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fanfold::writer

int main(int argc, char** argv) { return fanfold::writer::Main(argc, argv); }
