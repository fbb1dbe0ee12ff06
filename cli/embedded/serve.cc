#include "cli/embedded/serve.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>
#include <utility>

#include "cli/console/read_relay.h"
#include "cli/deployment/serve_note.h"
#include "cli/embedded/folder_room.h"
#include "cli/embedded/node.h"
#include "cli/embedded/served_console.h"
#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/http/page_access.h"
#include "common/service/service.h"
#include "reader/answers.h"
#include "reader/reader_service.h"
#include "writer/answers.h"
#include "writer/writer_service.h"

namespace fanfold::embedded {
namespace {

constexpr std::int64_t kGaugeIntervalMs = 1'000;
// Questions to the tables at once: they stand in this process's memory.
constexpr int kReadThreads = 2;

// Both services over one node, on one port.
class Server {
 public:
  Server(Node& node, const Config& config, Metrics& metrics)
      : node_(node),
        metrics_(metrics),
        writer_(node.log(), Node::kPartitions, clock_, metrics),
        reader_(
            node.log(), [&node](Shard) { return node.NewReader(); },
            Shape{Node::kPartitions, Node::kShards},
            {.threads = kReadThreads,
             .cache = {.lists_bytes = config.cache_mib << 20},
             .tenant_bytes = config.tenant_mib << 20,
             .posts_bytes = config.posts_mib << 20},
            metrics, clock_),
        room_(config.folder, metrics),
        console_(config) {}

  Status Listen(const Config& config) {
    http::ServerOptions options;
    options.port = config.reader_port;
    const auto add_routes = [this](http::Router& router) {
      writer_.AddRoutes(router);
      reader_.AddRoutes(router);
    };
    auto opened = ServicePorts::Open(
        config, options,
        {.add_routes = add_routes,
         .ready = [this] { return Ready(); },
         .retire = [this] { Retire(); },
         .add_operator_routes = [this](http::Router& router) { console_.AddRoutes(router); },
         .failures = {reader::kStoreUnavailable, http::problems::kLogUnavailable,
                      console::kReaderUnavailable}},
        metrics_);
    if (!opened) return Forward(opened);
    ports_ = *std::move(opened);
    return {};
  }
  // Others find it there, too.
  void Listens(const ServeNote& note) { console_.Listens(note); }

  [[nodiscard]] std::uint16_t port() const { return ports_->port(); }
  [[nodiscard]] std::string LendToken() { return ports_->LendToken(); }
  void ShowGauges() {
    writer_.ShowGauges();
    room_.Show();
  }

  // Finishes what was taken; false when some of it is still on its way to the log.
  [[nodiscard]] bool Stop(ShutdownSignal& again) {
    ports_->Stop(&again);
    return writer_.Flush();
  }

 private:
  void Retire() {
    console_.Retire();
    reader_.Retire();
  }
  [[nodiscard]] Status Ready() const {
    if (Status folds = node_.Health(); !folds) return folds;
    if (Status writes = writer_.Ready(); !writes) return writes;
    return reader_.Ready();
  }

  Node& node_;
  Metrics& metrics_;
  SystemClock clock_;
  std::unique_ptr<ServicePorts> ports_;  // outlive the services, which still answer to them
  writer::WriterService writer_;
  reader::ReaderService reader_;
  FolderRoom room_;
  ServedConsole console_;
};

std::string AbsoluteOrNone(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).string();
}

}  // namespace

ExitCode Serve(const Config& config, Console& console, ShutdownSignal& shutdown) {
  const std::string& folder = config.folder;
  Metrics metrics;
  Result<std::unique_ptr<Node>> node = Node::Open(
      folder, config.deployment_id,
      NodeOptionsOf(
          config,
          {.mode = projector::ParseAuditMode(config.audit).value_or(projector::AuditMode::kRepair),
           .rows_per_second = config.audit_rows_per_second}),
      metrics);
  if (!node) return console.SayError(node.error());
  Server server(**node, config, metrics);
  if (Status listens = server.Listen(config); !listens) return console.SayError(listens.error());
  const ServeNote note{getpid(), config.bind, server.port(), server.LendToken(),
                       AbsoluteOrNone(config.tls_certificate_file)};
  const ServeNoteFile note_file(folder, note);
  server.Listens(note);
  console.Say(fmt::format("fanfold: {} at {}://{}:{}, Ctrl-C stops", folder,
                          config.tls_certificate_file.empty() ? "http" : "https",
                          http::HostOf(config.bind), server.port()));
  while (!shutdown.WaitFor(kGaugeIntervalMs)) server.ShowGauges();
  if (!server.Stop(shutdown)) {
    console.Say("fanfold: stopped with events on their way to the log");
    return ExitCode::kError;
  }
  return ExitCode::kFine;
}

}  // namespace fanfold::embedded
