// Which generation is read and decides: there and back.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>

#include "operations/base/text.h"
#include "operations/rebuild/caught_up.h"
#include "operations/rebuild/rebuild_steps.h"
#include "projector/runtime/shard_workers.h"
#include "reader/leave_time.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kDeciderTimeoutMs = 120'000;
// Until projectors know who is to decide.
constexpr std::int64_t kDeciderKnownMs = 2 * projector::ShardWorkers::kLookMs;

bool AllDecide(const std::vector<ShardLane>& lanes) {
  return std::ranges::all_of(lanes, [](const ShardLane& lane) { return lane.status.deciding; });
}

bool SomeDecide(const std::vector<ShardLane>& lanes) {
  return std::ranges::any_of(lanes, [](const ShardLane& lane) { return lane.status.deciding; });
}

}  // namespace

Status RebuildSteps::MakeReady(Generation generation) {
  const Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return std::unexpected(known.error());
  const auto one = std::ranges::find(*known, generation, &KnownGeneration::generation);
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  if (one == known->end() || one->state != GenerationState::kFolding || read == known->end()) {
    return Fail(ErrorCode::kRefused, fmt::format("{} is not folded: see `fanfold rebuild status`",
                                                 NameOf(projection_, generation)));
  }
  const Status together = CheckReadTogether(projection_, generation, one->slot_map, read->slot_map);
  if (!together) return together;
  while (true) {
    const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_);
    if (!lanes) return std::unexpected(lanes.error());
    if (const auto stands = LaneThatKeepsDeciding(*lanes, generation)) {
      return Fail(ErrorCode::kRefused, DescribeStanding(*stands));
    }
    // What it had to come to has gone on while it came there.
    const LaneGoals goals = GoalsOf(*lanes, read->generation, generation);
    const bool waits = EventsLacking(goals, *lanes, generation) > CatchUpWatch::kNearEvents;
    if (Status caught_up = CatchUpWithRead(generation, goals); !caught_up || !waits) {
      return caught_up;
    }
  }
}

// Whoever folds one generation of a partition folds all: where nobody folds this one, nobody
// decides in the other either, and nothing is lost by going over to one that lacks little.
Status RebuildSteps::CatchUpWithRead(Generation generation, const LaneGoals& goals) {
  CaughtUp shown(context_);
  CatchUpWatch watch;
  const auto reached = [&](const std::vector<ShardLane>& lanes) -> Result<bool> {
    const std::int64_t lacking = EventsLacking(goals, lanes, generation);
    shown.Show(lacking);
    switch (watch.Look(lacking, context_.clock.SteadyMs())) {
      case CatchUp::kThere:
      case CatchUp::kIsNear:
        return true;
      case CatchUp::kComes:
        return false;
      case CatchUp::kStands:
        break;
    }
    return std::unexpected(NobodyFolds(generation, lacking));
  };
  return WaitUntil("catch up", std::nullopt, reached, generation, LaneThatKeepsDeciding);
}

// Lanes go on saying that they run when their owner is gone.
Error RebuildSteps::NobodyFolds(Generation generation, std::int64_t lacking) {
  std::string missing;
  for (const Projection kind : Projection::All()) {
    // What nobody decides nobody applies.
    if (kind != projection_ && !kind.decides()) continue;
    const Result<std::int32_t> processes = context_.backend.Projectors(kind);
    if (processes && *processes == 0) {
      missing += fmt::format("; no projector of {} runs", ToString(kind));
    }
  }
  return {ErrorCode::kTimeout,
          fmt::format("{} has yet to catch up: it lacks {} events, and nobody has folded any for "
                      "{}{}. See that projectors run (`fanfold doctor`), then call this again: it "
                      "goes on where it stands",
                      NameOf(projection_, generation), lacking,
                      ShortDuration(CatchUpWatch::kFarStillMs), missing)};
}

Status RebuildSteps::Promote(Generation generation) {
  if (projection_.decides()) {
    Status given = generations_.OnEachShard([&](Shard, GenerationOperations& operations) {
      return operations.OrderToDecide(projection_, generation);
    });
    if (!given) return given;
  }
  Status read = generations_.OnFirstShard(
      [&](GenerationOperations& operations) { return operations.Read(projection_, generation); });
  if (!read) return read;
  if (projection_.decides()) {
    if (Status freed = FreeDeciders(generation); !freed) return freed;
    if (Status decides = WaitToDecide(generation); !decides) return decides;
  }
  Say(generation, "is read");
  return {};
}

Status RebuildSteps::LetReadersLearn() {
  if (!context_.interrupt.WaitFor(reader::kReadersLearnMs)) return {};
  return Fail(ErrorCode::kTimeout, "interrupted: it is loaded, and readers learn of it");
}

Status RebuildSteps::LetReadersLeave() {
  std::int64_t since_ms = 0;
  Status asked = generations_.OnFirstShard([&](GenerationOperations& operations) -> Status {
    const Result<std::int64_t> since = operations.ReadSinceMs();
    if (!since) return std::unexpected(since.error());
    since_ms = *since;
    return {};
  });
  if (!asked) return asked;
  const std::int64_t left_ms =
      reader::kReadersLeaveMs - std::clamp(since_ms, std::int64_t{0}, reader::kReadersLeaveMs);
  if (left_ms == 0) return {};
  context_.sink.Note(fmt::format("Waiting for {}, until readers have left what they read before.",
                                 ShortDuration(left_ms)));
  if (!context_.interrupt.WaitFor(left_ms)) return {};
  return Fail(ErrorCode::kTimeout, "interrupted: nothing is dropped");
}

Result<std::optional<KnownGeneration>> RebuildSteps::Made() {
  Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return Forward(known);
  std::erase_if(*known, [](const KnownGeneration& one) { return one.until_ms.has_value(); });
  if (known->empty()) return std::nullopt;
  const KnownGeneration& newest = known->back();
  if (newest.IsInTheMaking()) return newest;
  const Result<bool> is_taking = HasYetToDecide(newest);
  if (!is_taking) return std::unexpected(is_taking.error());
  return *is_taking ? std::optional(newest) : std::nullopt;
}

Result<bool> RebuildSteps::HasYetToDecide(const KnownGeneration& read) {
  if (!projection_.decides() || !read.is_read) return false;
  const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_, read.generation);
  if (!lanes) return std::unexpected(lanes.error());
  return !read.to_decide || !AllDecide(*lanes);
}

Result<std::optional<KnownGeneration>> RebuildSteps::Before() {
  const Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return std::unexpected(known.error());
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  // Of what was promoted, or left, by a command that was killed some lanes may decide, or
  // are to have it: then it is this one that is gone back to.
  for (auto later = read; later != known->end(); ++later) {
    if (later->is_read) continue;
    const Result<std::vector<ShardLane>> lanes =
        generations_.LanesOf(projection_, later->generation);
    if (!lanes) return std::unexpected(lanes.error());
    if (later->to_decide_somewhere || SomeDecide(*lanes)) return *read;
  }
  for (auto one = std::reverse_iterator(read); one != known->rend(); ++one) {
    if (one->state == GenerationState::kFolding) return *one;
  }
  // Or one that was is to be ended.
  const Result<bool> is_taking = read == known->end() ? Result<bool>(false) : HasYetToDecide(*read);
  if (!is_taking) return std::unexpected(is_taking.error());
  return *is_taking ? std::optional(*read) : std::nullopt;
}

Status RebuildSteps::CheckBefore(Generation generation) {
  const Result<KnownGeneration> asked = Find(generation);
  if (!asked) return std::unexpected(asked.error());
  const Result<std::vector<KnownGeneration>> known = Known();
  if (!known) return std::unexpected(known.error());
  const auto read = std::ranges::find_if(*known, &KnownGeneration::is_read);
  const bool is_later = read == known->end() || read->generation < generation;
  if (asked->state == GenerationState::kFolding && !is_later) return {};
  return Fail(ErrorCode::kRefused,
              fmt::format("{} is none to go back to: {}", NameOf(projection_, generation),
                          is_later ? "it is later than the one that is read" : "it is not folded"));
}

// One that ran before its projector knew would take the event that it halted at once more.
Status RebuildSteps::FreeDeciders(Generation generation) {
  const Result<std::vector<ShardLane>> lanes = generations_.LanesOf(projection_);
  if (!lanes) return std::unexpected(lanes.error());
  const std::vector<ShardLane> deciders = DecidersToFree(*lanes, generation);
  if (deciders.empty()) return {};
  if (context_.interrupt.WaitFor(kDeciderKnownMs)) {
    return Fail(ErrorCode::kTimeout, "interrupted: it is read, but has yet to decide");
  }
  for (const ShardLane& decider : deciders) {
    Result<std::unique_ptr<TableOperations>> tables =
        context_.backend.OpenOperations(decider.shard);
    if (!tables) return Forward(tables);
    if (Status resumed = (*tables)->Resume(decider.status.lane); !resumed) return resumed;
    context_.sink.Note(fmt::format(
        "{} of generation {} on shard {}, which its own tables halted, "
        "is resumed to give up deciding.",
        NameOf(decider.status.lane), decider.status.lane.generation.value, decider.shard.value));
  }
  return {};
}

Status RebuildSteps::WaitToDecide(Generation generation) {
  const auto decides = [&](const std::vector<ShardLane>& lanes) -> Result<bool> {
    return std::ranges::all_of(lanes, [&](const ShardLane& lane) {
      return lane.status.lane.generation != generation || lane.status.deciding;
    });
  };
  const Status reached = WaitUntil("decide", kDeciderTimeoutMs, decides, generation);
  if (reached) return {};
  return Fail(reached.error().code, "it is read, but " + reached.error().message);
}

}  // namespace fanfold::operations
