#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "cli/command_line.h"
#include "cli/deployment.h"
#include "cli/embedded/backends.h"
#include "cli/embedded/serve.h"
#include "cli/generate.h"
#include "cli/init.h"
#include "cli/reader_probe.h"
#include "cli/serve_note.h"
#include "cli/session.h"
#include "common/base/logging.h"
#include "common/base/shutdown.h"
#include "common/kafka/group_facts.h"
#include "common/kafka/kafka_event_log.h"
#include "common/kafka/kafka_partition_ownership.h"
#include "common/kafka/topic_admin.h"
#include "common/kafka/topic_facts.h"
#include "common/mysql/add_index.h"
#include "common/mysql/database_facts.h"
#include "common/mysql/migrations.h"
#include "common/mysql/mysql_store.h"

namespace fanfold {
namespace {

constexpr std::int32_t kReplicationMax = 3;

// A verb asks once and ends, where a service would come back: it waits for brokers that are slow to
// answer, and for partitions whose leader moves.
constexpr BoundsWait kVerbBoundsWait{.timeout_ms = 15'000, .asks_again = true};

// Kafka and MySQL as a configuration names them.
class StackBackend final : public Backend {
 public:
  explicit StackBackend(Config config) : config_(std::move(config)) {}

  std::int32_t shards() const override { return static_cast<std::int32_t>(config_.shards.size()); }
  std::int32_t partitions() const override { return config_.partitions; }

  Result<std::shared_ptr<EventLog>> OpenLog() override { return NewKafkaEventLog(Kafka()); }

  Result<std::unique_ptr<ProjectionReader>> OpenReader(Shard shard) override {
    return NewMysqlProjectionReader(DsnOf(shard), MysqlOptions{});
  }

  Result<std::unique_ptr<TableOperations>> OpenOperations(Shard shard) override {
    return NewMysqlTableOperations(DsnOf(shard), MysqlOptions{});
  }

  Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard shard) override {
    return NewMysqlTableSnapshot(DsnOf(shard), MysqlOptions{});
  }

  Result<std::unique_ptr<GenerationOperations>> OpenGenerations(Shard shard) override {
    return NewMysqlGenerationOperations(DsnOf(shard));
  }

  Result<std::unique_ptr<LaneStore>> OpenStore(Shard shard) override {
    return NewMysqlLaneStore(DsnOf(shard), {.sends_files = true});
  }

  Result<bool> ReaderReached(std::span<const Position> positions,
                             std::int64_t timeout_ms) override {
    return fanfold::ReaderReached(config_.bind, config_.reader_port, positions, timeout_ms);
  }

  Result<std::int32_t> Projectors(Projection projection) override {
    return GroupMembers(Kafka(), ProjectorGroup(ToString(projection)));
  }

  Result<LogFacts> ReadLogFacts() override { return ReadKafkaFacts(Kafka()); }
  Result<DatabaseFacts> ReadDatabaseFacts(Shard shard, const ReadGenerations& read) override {
    return ReadMysqlFacts(DsnOf(shard), MysqlOptions{}, read);
  }

  Status AddIndex(Shard shard, const TableIndex& index) override {
    return AddMysqlIndex(DsnOf(shard), index);
  }

  Status CreateTopics() override {
    const auto brokers =
        static_cast<std::int32_t>(1 + std::ranges::count(config_.kafka_brokers, ','));
    return fanfold::CreateTopics(Kafka(), config_.partitions, std::min(brokers, kReplicationMax));
  }

  Status Migrate(Shard shard) override {
    return fanfold::Migrate(DsnOf(shard), shard, CatalogSeed{config_.partitions, shards()});
  }

 private:
  [[nodiscard]] KafkaOptions Kafka() const {
    return {config_.kafka_brokers, config_.space, kScanReadAhead, kVerbBoundsWait};
  }
  [[nodiscard]] const std::string& DsnOf(Shard shard) const {
    return config_.shards[static_cast<std::size_t>(shard.value)];
  }

  Config config_;
};

class SignalInterrupt final : public Interrupt {
 public:
  bool WaitFor(std::int64_t timeout_ms) override {
    stopped_ = stopped_ || signal_.WaitFor(timeout_ms);
    return stopped_;
  }

 private:
  ShutdownSignal signal_;
  bool stopped_ = false;
};

struct RunVerb {
  Session& session;

  ExitCode operator()(const InitOptions&) const { return RunInit(session); }
  ExitCode operator()(const ImportOptions& options) const { return RunImport(session, options); }
  ExitCode operator()(const ImportLogOptions& options) const {
    return RunImportLog(session, options);
  }
  ExitCode operator()(const ExportLogOptions& options) const {
    return RunExportLog(session, options);
  }
  ExitCode operator()(const WaitOptions& options) const { return RunWait(session, options); }
  ExitCode operator()(const StatusOptions& options) const { return RunStatus(session, options); }
  ExitCode operator()(const TailOptions& options) const { return RunTail(session, options); }
  ExitCode operator()(const ParkedListOptions& options) const {
    return RunParkedList(session, options);
  }
  ExitCode operator()(const ParkedShowOptions& options) const {
    return RunParkedShow(session, options);
  }
  ExitCode operator()(const LaneListOptions& options) const {
    return RunLaneList(session, options);
  }
  ExitCode operator()(const LaneOrderOptions& options) const {
    return RunLaneOrder(session, options);
  }
  ExitCode operator()(const VerifyOptions& options) const { return RunVerify(session, options); }
  ExitCode operator()(const RepairOptions& options) const { return RunRepair(session, options); }
  ExitCode operator()(const ParkedReplayOptions& options) const {
    return RunParkedReplay(session, options);
  }
  ExitCode operator()(const ParkedDropOptions& options) const {
    return RunParkedDrop(session, options);
  }
  ExitCode operator()(const DoctorOptions& options) const { return RunDoctor(session, options); }
  ExitCode operator()(const ExplainOptions& options) const { return RunExplain(session, options); }
  ExitCode operator()(const RebuildOptions& options) const { return RunRebuild(session, options); }
  ExitCode operator()(const GraphOptions& options) const {
    return RunGenerate(session.console, options);
  }
  ExitCode operator()(const ServeOptions&) const {
    return session.console.SayError({ErrorCode::kInternal, "serve is a deployment of its own"});
  }
};

constexpr WaitOptions kFoldToTheEnd{
    .timeout_ms = 7LL * 24 * 3600 * 1000, .quiet = true, .passes_stopped = true};

// Is there more to fold once it has run?
bool MovesLanes(const Verb& verb) {
  return std::holds_alternative<ImportOptions>(verb) ||
         std::holds_alternative<LaneOrderOptions>(verb) ||
         std::holds_alternative<ParkedReplayOptions>(verb);
}

// The verb on what the deployment is; `folds_here`: nobody else folds it.
ExitCode RunOn(Backend& backend, bool folds_here, const CommandLine& command, HowToCall calls,
               Console& console, Interrupt& interrupt) {
  const SystemClock clock;
  const Verb& verb = command.verb;
  Session session{backend, clock, interrupt, console, command.json, std::move(calls)};
  const auto run = [&session](const auto& options) { return RunVerb{session}(options); };
  if (!folds_here) return std::visit(run, verb);
  if (const ExitCode folded = RunWait(session, kFoldToTheEnd); folded != ExitCode::kFine) {
    return folded;
  }
  const ExitCode code = std::visit(run, verb);
  if (!MovesLanes(verb)) return code;
  const ExitCode folded = RunWait(session, kFoldToTheEnd);
  return code == ExitCode::kFine ? folded : code;
}

// `init` looks for itself, since there may be none yet; `doctor` tells what is wrong with them.
bool WantsItsShards(const Verb& verb) {
  return !std::holds_alternative<InitOptions>(verb) && !std::holds_alternative<DoctorOptions>(verb);
}

ExitCode RunOnStack(Config config, const CommandLine& command, HowToCall calls, Console& console,
                    Interrupt& interrupt) {
  if (config.shards.empty() || config.kafka_brokers.empty()) {
    return console.SayError(
        {ErrorCode::kInvalidArgument, "the configuration names no kafka_brokers or no shards"});
  }
  StackBackend backend(std::move(config));
  if (WantsItsShards(command.verb)) {
    if (Status fits = CheckShards(backend); !fits) return console.SayError(fits.error());
  }
  return RunOn(backend, false, command, std::move(calls), console, interrupt);
}

// Into a folder that nobody folds meanwhile.
ExitCode ImportLogIntoFolder(const std::string& folder, const CommandLine& command,
                             const HowToCall& calls, Console& console, Interrupt& interrupt) {
  if (const std::optional<ServeNote> serving = FindServing(folder)) {
    return console.SayError(
        {ErrorCode::kRefused,
         fmt::format("{} is served by process {}, which would decide again what was decided: stop "
                     "it first",
                     folder, serving->pid)});
  }
  Result<std::unique_ptr<Backend>> backend = embedded::OpenUnfoldedBackend(folder);
  if (!backend) return console.SayError(backend.error());
  return RunOn(**backend, false, command, calls, console, interrupt);
}

ExitCode RunOnFolder(const std::string& folder, const CommandLine& command, const HowToCall& calls,
                     Console& console, Interrupt& interrupt) {
  if (std::holds_alternative<ImportLogOptions>(command.verb)) {
    const ExitCode imported = ImportLogIntoFolder(folder, command, calls, console, interrupt);
    if (imported != ExitCode::kFine) return imported;
    const CommandLine fold{command.deployment, command.json, kFoldToTheEnd};
    return RunOnFolder(folder, fold, calls, console, interrupt);
  }
  const std::optional<ServeNote> serving = FindServing(folder);
  const Result<Config> config = ConfigFromEnvironment();
  if (!config) return console.SayError(config.error());
  Result<std::unique_ptr<Backend>> backend =
      serving ? embedded::ServedBackend(folder, *serving)
              : embedded::OpenBackend(folder, FollowLimit(config->follow_limit));
  if (!backend) return console.SayError(backend.error());
  return RunOn(**backend, !serving, command, calls, console, interrupt);
}

ExitCode RunServe(const ServeOptions& options, const CommandLine& command, Console& console,
                  Interrupt& interrupt) {
  const Result<Config> config = ConfigFromEnvironment();
  if (!config) return console.SayError(config.error());
  const std::string folder = command.deployment.embedded_dir.value_or(options.folder);
  return embedded::Serve(folder, *config, console, interrupt);
}

ExitCode Run(const CommandLine& command, Console& console) {
  if (const auto* graph = std::get_if<GraphOptions>(&command.verb)) {
    return RunGenerate(console, *graph);
  }
  // Before any thread is started, so that all inherit the blocked signals.
  SignalInterrupt interrupt;
  if (const auto* serve = std::get_if<ServeOptions>(&command.verb)) {
    return RunServe(*serve, command, console, interrupt);
  }
  const DeploymentPlaces places;
  Result<FoundDeployment> deployment = FindDeployment(command.deployment, places);
  if (!deployment) return console.SayError(deployment.error());
  HowToCall calls = HowToCallOn(command.program, command.deployment, places, *deployment);
  if (const auto* folder = std::get_if<EmbeddedFolder>(&*deployment)) {
    return RunOnFolder(folder->path, command, calls, console, interrupt);
  }
  return RunOnStack(std::get<Config>(std::move(*deployment)), command, std::move(calls), console,
                    interrupt);
}

int Main(int argc, const char* const* argv) {
  Console console = Console::OfProcess();
  const auto command = ParseCommandLine(argc, argv);
  // A verb says itself what it could not do; clients warn of each broker and each attempt besides.
  const bool serves = command && std::holds_alternative<ServeOptions>(command->verb);
  StartLogging("fanfold", serves ? LogLevel::kWarning : LogLevel::kError);
  if (command) return static_cast<int>(Run(*command, console));
  const CommandLineEnd& end = command.error();
  std::string_view text = end.text;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (end.code == ExitCode::kFine) {
    console.PrintLine(text);
    console.Flush();
  } else {
    console.Say(text);
  }
  return static_cast<int>(end.code);
}

}  // namespace
}  // namespace fanfold

int main(int argc, char** argv) { return fanfold::Main(argc, argv); }
