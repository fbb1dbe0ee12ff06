#include "cli/rebuild.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include "cli/display.h"
#include "cli/generations.h"
#include "common/base/backoff.h"
#include "projector/fans/fans_projection.h"
#include "projector/following/following_projection.h"
#include "projector/rebuild/loader.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

// A loader that has not moved for so long is taken for dead.
constexpr std::int64_t kLoaderSilentMs = 15'000;
constexpr std::int64_t kPollMs = 100;
constexpr std::int64_t kSeatTimeoutMs = 120'000;

std::unique_ptr<Projection> MakeProjection(ProjectionKind kind) {
  if (kind == ProjectionKind::kFans) return std::make_unique<FansProjection>();
  return std::make_unique<FollowingProjection>(FollowLimit(0));  // which decides nothing here
}

std::string NameOf(ProjectionKind projection, Generation generation) {
  return fmt::format("generation {} of {}", generation.value, ToString(projection));
}

// The steps of one projection's rebuild. Each looks where things stand, so it may be repeated.
class Rebuild {
 public:
  Rebuild(Session& session, Generations& generations, ProjectionKind projection)
      : session_(session), generations_(generations), projection_(projection) {}

  // The generation that was made, loaded and has caught up.
  Result<Generation> Start() {
    Result<Generation> generation = FindOrMake();
    if (!generation) return generation;
    if (Status loaded = Load(*generation); !loaded) return Forward(loaded);
    if (Status caught_up = CatchUp(*generation); !caught_up) return Forward(caught_up);
    Say(*generation, "has caught up");
    return generation;
  }

  Result<VerifyReport> Verify(Generation generation) {
    ReadGenerations made;
    (projection_ == ProjectionKind::kFans ? made.fans : made.following) = generation;
    ShownPace pace(session_, 0);
    const AuditPorts ports = generations_.tables().PortsFor(session_, pace);
    Result<VerifyReport> report = Verifier(ports, made, {projection_}).All();
    pace.Clear();
    return report;
  }

  Status Promote(Generation generation) {
    if (projection_ == ProjectionKind::kFollowing) {
      Status given = generations_.OnEachShard(
          [&](Shard, GenerationOperations& operations) { return operations.GiveSeat(generation); });
      if (!given) return given;
    }
    Status read = generations_.OnEachShard([&](Shard shard, GenerationOperations& operations) {
      return shard == Shard(0) ? operations.Read(projection_, generation) : Status();
    });
    if (!read) return read;
    if (projection_ == ProjectionKind::kFollowing) {
      if (Status seated = WaitForSeat(generation); !seated) return seated;
    }
    Say(generation, "is read");
    return {};
  }

  Status Drop(Generation generation) {
    Status dropped = generations_.OnEachShard([&](Shard, GenerationOperations& operations) {
      return operations.Drop(projection_, generation);
    });
    if (dropped) Say(generation, "is dropped");
    return dropped;
  }

  // Of this projection, by generation.
  Result<std::vector<KnownGeneration>> Known() {
    Result<std::vector<KnownGeneration>> known = generations_.List();
    if (!known) return known;
    std::erase_if(*known, [&](const KnownGeneration& generation) {
      return generation.projection != projection_;
    });
    return known;
  }

  // The newest one behind the one that is read; kRefused when there is none.
  Result<KnownGeneration> Made() {
    Result<std::vector<KnownGeneration>> known = Known();
    if (!known) return Forward(known);
    if (!known->empty() && !known->back().is_read) return known->back();
    return Fail(ErrorCode::kRefused, fmt::format("no generation of {} has been made: `fanfold "
                                                 "rebuild start {}`",
                                                 ToString(projection_), ToString(projection_)));
  }

  void Say(Generation generation, std::string_view what) {
    if (session_.json) {
      session_.console.PrintLine(Json{
          {"projection", ToString(projection_)},
          {"generation", generation.value},
          {"step", what}}.dump());
    } else {
      session_.console.PrintLine(fmt::format("{} {}", NameOf(projection_, generation), what));
    }
    session_.console.Flush();
  }

 private:
  Result<Generation> FindOrMake() {
    Result<std::vector<KnownGeneration>> known = Known();
    if (!known) return Forward(known);
    const bool goes_on = !known->empty() && !known->back().is_read;
    const Generation generation =
        goes_on ? known->back().generation
                : Generation(known->empty() ? 1 : known->back().generation.value + 1);
    if (goes_on && known->back().folds) return generation;
    if (Status alone = CheckAlone(generation); !alone) return Forward(alone);
    Status made = generations_.OnEachShard([&](Shard shard, GenerationOperations& operations) {
      return operations.Create(projection_, generation,
                               generations_.PartitionsOn(shard, projection_));
    });
    if (!made) return Forward(made);
    Say(generation, goes_on ? "is loaded on" : "is made");
    return generation;
  }

  // Whoever loads moves a lane every few seconds.
  Status CheckAlone(Generation generation) {
    const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_, generation);
    if (!lanes) return std::unexpected(lanes.error());
    for (const ShardLane& lane : *lanes) {
      const bool moves = session_.clock.NowMs() - lane.status.updated_ms < kLoaderSilentMs &&
                         !lane.status.owner.empty();
      if (!moves) continue;
      return Fail(
          ErrorCode::kRefused,
          fmt::format("{} is being loaded by {}; if that has died, try again in {} s",
                      NameOf(projection_, generation), lane.status.owner, kLoaderSilentMs / 1000));
    }
    return {};
  }

  Status Load(Generation generation) {
    const std::unique_ptr<Projection> projection = MakeProjection(projection_);
    ShownPace pace(session_, 0);
    if (Result<std::int64_t> items = OutcomesToRead(); items) pace.Expect(2 * *items);
    Result<std::vector<KnownGeneration>> known = Known();
    if (!known) return Forward(known);
    if (known->back().folds) return {};
    Loader loader({*generations_.tables().log,
                   [this](Shard shard) { return session_.backend.OpenStore(shard); },
                   generations_.tables().placement, pace},
                  *projection, generation, fmt::format("rebuild/{}", getpid()));
    Status loaded = loader.LoadAll();
    pace.Clear();
    if (!loaded) return loaded;
    Say(generation, "is loaded");
    return generations_.OnEachShard([&](Shard, GenerationOperations& operations) {
      return operations.FinishLoading(projection_, generation);
    });
  }

  Result<std::int64_t> OutcomesToRead() {
    Result<LogEnds> ends = ReadEnds(*generations_.tables().log, Topic::kOutcomes);
    if (!ends) return Forward(ends);
    std::int64_t outcomes = 0;
    for (const Offset end : *ends) outcomes += end.value;
    return outcomes;
  }

  // Until it holds what the log held when the wait began.
  Status CatchUp(Generation generation) {
    const Result<LogEnds> ends = ReadEnds(*generations_.tables().log, Topic::kEvents);
    if (!ends) return std::unexpected(ends.error());
    ReadGenerations made;
    (projection_ == ProjectionKind::kFans ? made.fans : made.following) = generation;
    return WaitUntil(
        "catch up", std::nullopt,
        [&](const std::vector<ShardLane>& lanes) {
          auto lagging = LaggingLanes(*ends, made, generations_.tables().placement.shards(), lanes);
          std::erase_if(lagging, [&](const LaggingLane& lane) {
            return lane.lane.projection != projection_;
          });
          return lagging.empty();
        },
        generation);
  }

  Status WaitForSeat(Generation generation) {
    return WaitUntil(
        "decide", kSeatTimeoutMs,
        [](const std::vector<ShardLane>& lanes) {
          return std::ranges::all_of(
              lanes, [](const ShardLane& lane) { return lane.status.role == LaneRole::kDecides; });
        },
        generation);
  }

  Status WaitUntil(std::string_view what, std::optional<std::int64_t> timeout_ms,
                   const std::function<bool(const std::vector<ShardLane>&)>& reached,
                   Generation generation) {
    const std::int64_t started_ms = session_.clock.SteadyMs();
    while (true) {
      const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_, generation);
      if (!lanes) return std::unexpected(lanes.error());
      if (reached(*lanes)) return {};
      const bool late = timeout_ms && session_.clock.SteadyMs() - started_ms > *timeout_ms;
      if (late || session_.interrupt.WaitFor(kPollMs)) {
        return Fail(ErrorCode::kTimeout,
                    fmt::format("the lanes of {} have yet to {}: see `fanfold status --all`",
                                NameOf(projection_, generation), what));
      }
    }
  }

  Session& session_;
  Generations& generations_;
  const ProjectionKind projection_;
};

ExitCode SayFailure(Session& session, const Error& error) {
  const ExitCode code = session.console.SayError(error);
  return error.code == ErrorCode::kTimeout ? ExitCode::kDifferent : code;
}

bool MayPromote(Session& session, const RebuildOptions& options, ProjectionKind projection,
                Generation generation) {
  if (options.yes) return true;
  if (isatty(STDIN_FILENO) == 0) {
    session.console.Say(fmt::format("not promoted without --yes: `fanfold rebuild promote {}`",
                                    ToString(projection)));
    return false;
  }
  session.console.Say(fmt::format("Read {} from now on? [y/N]", NameOf(projection, generation)));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

ExitCode VerifyStep(Session& session, Rebuild& rebuild, Generation generation) {
  const Result<VerifyReport> report = rebuild.Verify(generation);
  if (!report) return SayFailure(session, report.error());
  for (const Difference& difference : report->differences) {
    session.console.Say(ToText(difference));
  }
  rebuild.Say(generation, fmt::format("is verified, differences: {}", report->found));
  return report->found == 0 ? ExitCode::kFine : ExitCode::kDifferent;
}

ExitCode PromoteStep(Session& session, Rebuild& rebuild) {
  const Result<KnownGeneration> made = rebuild.Made();
  if (!made) return SayFailure(session, made.error());
  if (const ExitCode verified = VerifyStep(session, rebuild, made->generation);
      verified != ExitCode::kFine) {
    return verified;
  }
  const Status promoted = rebuild.Promote(made->generation);
  return promoted ? ExitCode::kFine : SayFailure(session, promoted.error());
}

ExitCode WholeStep(Session& session, const RebuildOptions& options, Rebuild& rebuild,
                   ProjectionKind projection) {
  const Result<Generation> made = rebuild.Start();
  if (!made) return SayFailure(session, made.error());
  if (options.step == RebuildStep::kStart) return ExitCode::kFine;
  if (!MayPromote(session, options, projection, *made)) return ExitCode::kFine;
  return PromoteStep(session, rebuild);
}

ExitCode RollbackStep(Session& session, Rebuild& rebuild, ProjectionKind projection) {
  const auto known = rebuild.Known();
  if (!known) return SayFailure(session, known.error());
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  if (read == known->begin() || read == known->end() || !std::prev(read)->folds) {
    return SayFailure(session, {ErrorCode::kRefused,
                                fmt::format("there is no earlier generation of {} to go back to",
                                            ToString(projection))});
  }
  const Status rolled_back = rebuild.Promote(std::prev(read)->generation);
  return rolled_back ? ExitCode::kFine : SayFailure(session, rolled_back.error());
}

// Those before the one that is read, or those after it.
ExitCode DropStep(Session& session, Rebuild& rebuild, bool before) {
  const auto known = rebuild.Known();
  if (!known) return SayFailure(session, known.error());
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  for (auto at = known->begin(); at != known->end(); ++at) {
    const bool drops = before ? at < read : at > read;
    if (!drops || read == known->end()) continue;
    const Status dropped = rebuild.Drop(at->generation);
    if (!dropped) return SayFailure(session, dropped.error());
  }
  return ExitCode::kFine;
}

ExitCode ShowStatus(Session& session, Generations& generations) {
  const auto known = generations.List();
  if (!known) return SayFailure(session, known.error());
  TextTable table({"PROJECTION", "GEN", "STATE", "READ", "DECIDES"});
  Json items = Json::array();
  for (const KnownGeneration& generation : *known) {
    const std::string_view state = generation.folds ? "folding" : "loading";
    items.push_back({{"projection", ToString(generation.projection)},
                     {"generation", generation.generation.value},
                     {"state", state},
                     {"read", generation.is_read},
                     {"decides", generation.decides}});
    table.Add({std::string(ToString(generation.projection)),
               std::to_string(generation.generation.value), std::string(state),
               generation.is_read ? "yes" : "no", generation.decides ? "yes" : "no"});
  }
  if (session.json) {
    session.console.PrintLine(Json{{"generations", std::move(items)}}.dump());
  } else {
    session.console.Print(table.Text());
  }
  session.console.Flush();
  return ExitCode::kFine;
}

ExitCode RunStep(Session& session, const RebuildOptions& options, Generations& generations,
                 ProjectionKind projection) {
  Rebuild rebuild(session, generations, projection);
  switch (options.step) {
    case RebuildStep::kWhole:
    case RebuildStep::kStart:
      return WholeStep(session, options, rebuild, projection);
    case RebuildStep::kVerify: {
      const Result<KnownGeneration> made = rebuild.Made();
      if (!made) return SayFailure(session, made.error());
      return VerifyStep(session, rebuild, made->generation);
    }
    case RebuildStep::kPromote:
      return PromoteStep(session, rebuild);
    case RebuildStep::kRollback:
      return RollbackStep(session, rebuild, projection);
    case RebuildStep::kRetire:
      return DropStep(session, rebuild, true);
    case RebuildStep::kCancel:
      return DropStep(session, rebuild, false);
    case RebuildStep::kStatus:
      break;
  }
  return ExitCode::kFine;
}

}  // namespace

std::optional<std::vector<ProjectionKind>> ParseProjections(std::string_view text) {
  using enum ProjectionKind;
  if (text == "following") return std::vector{kFollowing};
  if (text == "fans") return std::vector{kFans};
  if (text == "all") return std::vector{kFollowing, kFans};
  return std::nullopt;
}

ExitCode RunRebuild(Session& session, const RebuildOptions& options) {
  Result<Generations> generations = Generations::Open(session);
  if (!generations) return session.console.SayError(generations.error());
  if (options.step == RebuildStep::kStatus) return ShowStatus(session, *generations);
  for (const ProjectionKind projection : options.projections) {
    const ExitCode code = RunStep(session, options, *generations, projection);
    if (code != ExitCode::kFine) return code;
  }
  return ExitCode::kFine;
}

}  // namespace fanfold
