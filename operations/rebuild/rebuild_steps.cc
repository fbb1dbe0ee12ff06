#include "operations/rebuild/rebuild_steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "common/stream/position.h"
#include "operations/base/text.h"
#include "operations/rebuild/caught_up.h"
#include "operations/rebuild/rebuild_moment.h"
#include "projector/folds.h"
#include "projector/rebuild/loader.h"

namespace fanfold::operations {
namespace {

// It is read from the log, and stands in a row at most.
constexpr std::int64_t kReadsOfAnOutcome = 2;
constexpr std::int64_t kPollMs = 100;

ReadGenerations OnlyOf(Projection projection, Generation generation) {
  ReadGenerations read;
  read[projection] = generation;
  return read;
}

// The last event of each partition that is below its offset, as positions are written.
std::string PositionsBelow(const std::vector<Offset>& until) {
  std::string text;
  for (std::size_t p = 0; p < until.size(); ++p) {
    if (until[p] == Offset(0)) continue;
    const Position last{Partition(static_cast<std::int32_t>(p)), Offset(until[p].value - 1)};
    text += (text.empty() ? "" : ",") + ToString(last);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Result<Generation> RebuildSteps::Make(std::optional<Generation> wished) {
  const Result<std::optional<KnownGeneration>> there = Made();
  if (!there) return std::unexpected(there.error());
  if (*there) return (*there)->generation;
  const Result<KnownGeneration> made = FindOrMake(std::nullopt, wished);
  if (!made) return std::unexpected(made.error());
  return made->generation;
}

Result<Generation> RebuildSteps::Start(std::optional<std::int64_t> until_ms,
                                       std::optional<Generation> wished) {
  std::vector<Offset> until;
  if (until_ms) {
    Result<std::vector<Offset>> events = EventsOfMoment(
        context_, *generations_.tables().log, projection_.stream(), *until_ms, rows_per_second_);
    if (!events) return Forward(events);
    until = std::move(*events);
  }
  Result<KnownGeneration> made = FindOrMake(until_ms, wished);
  if (!made) return Forward(made);
  const Generation generation = made->generation;
  if (made->state == GenerationState::kLoading) {
    if (Status loaded = Load(*made, std::move(until)); !loaded) return Forward(loaded);
  }
  if (until_ms) {
    if (Status learn = LetReadersLearn(); !learn) return Forward(learn);
    Say(generation, fmt::format("is there to be read with generation={}", generation.value));
    return generation;
  }
  if (Status caught_up = CatchUpWithLog(generation); !caught_up) return Forward(caught_up);
  Say(generation, "has caught up");
  return generation;
}

Result<projector::VerifyReport> RebuildSteps::Verify(Generation generation) {
  const Result<KnownGeneration> known = Find(generation);
  if (!known) return std::unexpected(known.error());
  if (known->state == GenerationState::kLoading) {
    return Fail(ErrorCode::kRefused,
                fmt::format("{} is not loaded yet: `fanfold rebuild start {}` goes on with it",
                            NameOf(projection_, generation), ToString(projection_)));
  }
  Result<LogEnds> outcomes = EndsOf(projection_.stream().applied());
  if (!outcomes) return Forward(outcomes);
  const Result<Placement> placement = generations_.PlacementOf(known->slot_map);
  if (!placement) return std::unexpected(placement.error());
  ToldPace pace(context_, rows_per_second_);
  pace.Expect(kReadsOfAnOutcome * SumOf(*outcomes));
  Result<projector::VerifyReport> report =
      projector::Verifier(generations_.tables().PortsFor(context_, *placement, pace),
                          OnlyOf(projection_, generation), {projection_})
          .All();
  pace.Clear();
  if (!report) return report;
  Say(generation, fmt::format("is verified, differences: {}", report->found), &*report);
  return report;
}

Status RebuildSteps::Drop(Generation generation) {
  Status dropped = generations_.OnEachShard([&](Shard, GenerationOperations& operations) {
    return operations.Drop(projection_, generation);
  });
  if (dropped) Say(generation, "is dropped");
  return dropped;
}

Result<std::vector<KnownGeneration>> RebuildSteps::Known() {
  Result<std::vector<KnownGeneration>> known = generations_.List();
  if (!known) return known;
  std::erase_if(*known, [&](const KnownGeneration& generation) {
    return generation.projection != projection_;
  });
  return known;
}

Result<KnownGeneration> RebuildSteps::Find(Generation generation) {
  const Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return std::unexpected(known.error());
  const auto found = std::ranges::find(*known, generation, &KnownGeneration::generation);
  if (found != known->end()) return *found;
  return Fail(ErrorCode::kNotFound, fmt::format("there is no {}: see `fanfold rebuild status`",
                                                NameOf(projection_, generation)));
}

void RebuildSteps::Say(Generation generation, std::string_view what,
                       const projector::VerifyReport* verified) {
  context_.sink.Step({.projection = projection_,
                      .generation = generation,
                      .what = what,
                      .elapsed_ms = context_.clock.SteadyMs() - began_ms_,
                      .verified = verified});
}

Result<Placement> RebuildSteps::PlacementOf(Generation generation) {
  const Result<KnownGeneration> known = Find(generation);
  if (!known) return std::unexpected(known.error());
  return generations_.PlacementOf(known->slot_map);
}

// The one that was begun for the same moment, or for none, goes on.
Result<KnownGeneration> RebuildSteps::FindOrMake(std::optional<std::int64_t> until_ms,
                                                 std::optional<Generation> wished) {
  const Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return std::unexpected(known.error());
  const auto begun = std::ranges::find_if(
      known->rbegin(), known->rend(),
      [&](const KnownGeneration& one) { return one.is_read || one.until_ms == until_ms; });
  const bool goes_on = begun != known->rend() && begun->IsInTheMaking();
  if (goes_on && begun->state != GenerationState::kLoading) return *begun;
  Result<Generation> number = goes_on ? begun->generation : NewNumber(wished);
  if (!number) return Forward(number);
  const SlotMapId map =
      goes_on ? begun->slot_map : generations_.tables().deployment.placement.slot_map();
  const Result<Placement> placement = generations_.PlacementOf(map);
  if (!placement) return std::unexpected(placement.error());
  Status made = generations_.OnEachShard([&](Shard shard, GenerationOperations& operations) {
    return operations.Create(projection_, *number, map, projection_.PartitionsOn(shard, *placement),
                             until_ms);
  });
  if (!made) return Forward(made);
  if (!goes_on) Say(*number, "is made");
  return KnownGeneration{projection_, *number, GenerationState::kLoading, false, false, false,
                         until_ms,    map};
}

Result<Generation> RebuildSteps::NewNumber(std::optional<Generation> wished) {
  const Result<std::vector<KnownGeneration>> known = generations_.List();
  if (!known) return std::unexpected(known.error());
  Generation highest(0);
  Generation own_highest(0);
  for (const KnownGeneration& one : *known) {
    highest = std::max(highest, one.generation);
    if (one.projection == projection_) own_highest = std::max(own_highest, one.generation);
  }
  if (wished && *wished > own_highest) return *wished;
  return Generation(highest.value + 1);
}

Status RebuildSteps::Load(const KnownGeneration& made, std::vector<Offset> until) {
  if (made.until_ms) {
    Say(made.generation, fmt::format("is to be as of {}, positions {}", IsoTime(*made.until_ms),
                                     PositionsBelow(until)));
  }
  Say(made.generation, "is loading");
  if (Status loaded = LoadUntil(made.generation, std::move(until)); !loaded) return loaded;
  Say(made.generation, "has its rows");
  Status finished = generations_.OnEachShard([&](Shard, GenerationOperations& operations) {
    return operations.FinishLoading(projection_, made.generation);
  });
  if (finished) Say(made.generation, "has its counts and indexes");
  return finished;
}

// How many records and rows there are to go.
Result<std::int64_t> RebuildSteps::LeftToLoad(Generation generation,
                                              const std::vector<Offset>& until) {
  const Result<LogEnds> outcomes = EndsOf(projection_.stream().applied());
  if (!outcomes) return std::unexpected(outcomes.error());
  const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_, generation);
  if (!lanes) return std::unexpected(lanes.error());
  const LogEnds& ends = until.empty() ? *outcomes : until;
  LogEnds slowest = ends;
  for (const ShardLane& lane : *lanes) {
    Offset& of_partition = slowest.at(static_cast<std::size_t>(lane.status.lane.partition.value));
    of_partition = std::min(of_partition, lane.status.progress.next_offset);
  }
  return kReadsOfAnOutcome * (SumOf(ends) - SumOf(slowest));
}

Status RebuildSteps::LoadUntil(Generation generation, std::vector<Offset> until) {
  const Result<std::int64_t> left = LeftToLoad(generation, until);
  if (!left) return std::unexpected(left.error());
  if (Status same = ProveLog(context_, generations_.tables(), projection_.stream()); !same)
    return same;
  Result<std::vector<Shard>> shards = generations_.ShardsLoading(projection_, generation);
  if (!shards) return Forward(shards);
  Result<Placement> placement = PlacementOf(generation);
  if (!placement) return Forward(placement);
  // Metrics that are not shown are no reason to stop.
  const auto show = [&](LoadProgress load) {
    (void)generations_.OnFirstShard([&](GenerationOperations& operations) {
      return operations.ShowLoad(projection_, generation, load);
    });
  };
  ToldPace pace(context_, rows_per_second_, show);
  pace.Expect(*left);
  const auto fold = projector::NewFold(projection_, FollowLimit(0));  // which decides nothing here
  projector::Loader loader({*generations_.tables().log,
                            [this](Shard shard) { return context_.backend.OpenStore(shard); },
                            *std::move(placement), pace},
                           *fold,
                           {.generation = generation,
                            .shards = std::move(*shards),
                            .owner = fmt::format("rebuild/{}", getpid()),
                            .until = std::move(until)});
  Status loaded = loader.LoadAll();
  pace.Clear();
  return loaded;
}

Result<LogEnds> RebuildSteps::EndsOf(Topic topic) {
  return ReadEnds(*generations_.tables().log, topic, context_.backend.partitions());
}

// Until it holds what the log held when the wait began, and somebody decides or has decided.
Status RebuildSteps::CatchUpWithLog(Generation generation) {
  const Topic events = projection_.stream().events();
  const Result<LogEnds> log_ends = EndsOf(events);
  if (!log_ends) return std::unexpected(log_ends.error());
  const Result<Placement> placement = PlacementOf(generation);
  if (!placement) return std::unexpected(placement.error());
  AllEnds ends;
  CaughtUp shown(context_);
  CatchUpWatch watch;
  const auto reached = [&](const std::vector<ShardLane>& lanes) -> Result<bool> {
    ends[events] = *log_ends;
    // Again each time: who decides may stop meanwhile.
    if (const std::optional<Projection> decider = DeciderOf(projection_.stream())) {
      const auto deciding = generations_.LanesOf(*decider);
      if (!deciding) return std::unexpected(deciding.error());
      ends[events] = DecidedEnds(*log_ends, *deciding);
    }
    auto lagging = LaggingLanes(ends, {*placement, OnlyOf(projection_, generation)}, lanes);
    std::erase_if(lagging,
                  [&](const LaggingLane& lane) { return lane.lane.projection != projection_; });
    const std::int64_t lacking = EventsLacking(lagging);
    shown.Show(lacking);
    if (watch.Look(lacking, context_.clock.SteadyMs()) != CatchUp::kStands) return lagging.empty();
    return std::unexpected(NobodyFolds(generation, lacking));
  };
  return WaitUntil("catch up", std::nullopt, reached, generation, OwnLaneThatStands);
}

Status RebuildSteps::WaitUntil(std::string_view what, std::optional<std::int64_t> timeout_ms,
                               const LanesAre& reached, Generation generation,
                               LaneThatKeeps keeps) {
  const std::int64_t started_ms = context_.clock.SteadyMs();
  while (true) {
    const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_);
    if (!lanes) return std::unexpected(lanes.error());
    const Result<bool> is_reached = reached(*lanes);
    if (!is_reached) return std::unexpected(is_reached.error());
    if (*is_reached) return {};
    if (const auto stands = keeps(*lanes, generation)) {
      return Fail(ErrorCode::kRefused,
                  fmt::format("{} has yet to {}: {}", NameOf(projection_, generation), what,
                              DescribeStanding(*stands)));
    }
    const bool late = timeout_ms && context_.clock.SteadyMs() - started_ms > *timeout_ms;
    if (late || context_.interrupt.WaitFor(kPollMs)) {
      return Fail(
          ErrorCode::kTimeout,
          fmt::format("the lanes of {} have yet to {}, which goes on by itself: see `fanfold "
                      "lane list`",
                      NameOf(projection_, generation), what));
    }
  }
}

}  // namespace fanfold::operations
