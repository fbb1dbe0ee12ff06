// fanfold-writer: takes commands over HTTP and appends their events to the log.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <thread>
#include <utility>

#include "common/base/clock.h"
#include "common/base/logging.h"
#include "common/base/metrics.h"
#include "common/base/shutdown.h"
#include "common/kafka/files_gauge.h"
#include "common/kafka/kafka_event_log.h"
#include "common/service/process.h"
#include "common/service/service.h"
#include "common/stream/slot.h"
#include "writer/answers.h"
#include "writer/writer_service.h"

namespace fanfold::writer {
namespace {

constexpr std::int64_t kGaugeIntervalMs = 1'000;
constexpr unsigned kIoThreadsMax = 4;
constexpr unsigned kCoresPerIoThread = 2;  // the other one is the log client's

int IoThreads() {
  return static_cast<int>(
      std::clamp(std::thread::hardware_concurrency() / kCoresPerIoThread, 1U, kIoThreadsMax));
}

// Serves until the signal, then finishes what was taken.
Status Serve(const Config& config, ShutdownSignal& shutdown) {
  if (!Shape{config.partitions, 1}.IsValid()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("partitions is {}: it must be a power of two, at most {}",
                            config.partitions, kPartitionsMax));
  }
  const SystemClock clock;
  Metrics metrics;
  const KafkaFilesGauge kafka_files(metrics);
  const auto log = NewKafkaEventLog(
      {.brokers = config.kafka_brokers, .space = config.space, .client = config.kafka});
  // A secret's file that is not there yet: whoever starts us starts us again.
  if (!log) return std::unexpected(log.error());
  std::unique_ptr<ServicePorts> ports;  // outlive the service, which still answers to them
  WriterService service(**log, config.partitions, clock, metrics);
  http::ServerOptions options;
  options.port = config.writer_port;
  options.io_threads = IoThreads();
  auto opened =
      ServicePorts::Open(config, options,
                         {.add_routes = [&](http::Router& router) { service.AddRoutes(router); },
                          .ready = [&] { return service.Ready(); },
                          .failures = {http::problems::kLogUnavailable}},
                         metrics);
  if (!opened) return Forward(opened);
  ports = *std::move(opened);

  LogInfo("serving", {{"bind", config.bind}, {"port", ports->port()}});
  while (!shutdown.WaitFor(kGaugeIntervalMs)) service.ShowGauges();
  LogInfo("stopping");
  ports->Stop(&shutdown);
  if (!service.Flush()) {
    LogWarning("stopped with events on their way to the log");
  }
  LogInfo("stopped");
  return {};
}

}  // namespace
}  // namespace fanfold::writer

int main(int argc, char** argv) {
  return fanfold::RunProcess(
      argc, argv,
      {.program = fanfold::Program::kWriter,
       .name = "writer",
       .about = "Takes follow and unfollow commands over HTTP and appends their events to the log.",
       .serve = fanfold::writer::Serve});
}
