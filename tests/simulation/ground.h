// What all processes of a run share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/base/split_mix.h"
#include "common/ports/post_reader.h"
#include "common/ports/profile_reader.h"
#include "common/ports/shown_reader.h"
#include "common/relation/edge.h"
#include "common/stream/slot.h"
#include "projector/runtime/projector_metrics.h"
#include "tests/simulation/adapters.h"
#include "tests/simulation/faults.h"
#include "tests/simulation/oracle.h"
#include "tests/simulation/protections.h"
#include "tests/simulation/scale.h"
#include "tests/simulation/simulated_clock.h"
#include "tests/simulation/trace.h"
#include "tests/simulation/transit.h"

namespace fanfold::simulation {

// The series of one thread's runs, one after the other; what they count is not looked at.
struct Series {
  Metrics metrics;
  projector::ProjectorMetrics following{metrics, projections::kFollowing};
  projector::ProjectorMetrics fans{metrics, projections::kFans};
  projector::ProjectorMetrics profiles{metrics, projections::kProfiles};
  projector::ProjectorMetrics posts{metrics, projections::kPosts};
  projector::ProjectorMetrics feeds{metrics, projections::kFeed};

  [[nodiscard]] projector::ProjectorMetrics& Of(Projection projection) {
    if (projection == projections::kPosts) return posts;
    if (projection == projections::kFeed) return feeds;
    if (!HoldsLists(projection)) return profiles;
    return projection.decides() ? following : fans;
  }
};

// What a run is, besides its seed.
struct Scenario {
  Protection without = Protection::kNone;
  // On real tables, with operators: rows are changed by hand, an auditor mends them, and tables are
  // rebuilt. Nobody reads meanwhile, and no account ends: both would see what was changed.
  bool operated = false;
};

[[nodiscard]] inline std::vector<Generation> GenerationsOf(std::uint64_t seed,
                                                           const Scenario& scenario) {
  if (scenario.operated || seed % kSecondGenerationEvery != 0) return {kGeneration};
  return {kGeneration, kSecondGeneration};
}

// Where users are: each partition's on a shard that the seed draws, if not by the first map.
[[nodiscard]] Placement PlacementOf(std::uint64_t seed, const Scenario& scenario);

struct Ground {
  Ground(std::uint64_t seed, const Scenario& scenario, std::ostream* lines,
         Series& series_of_thread)
      : placement(PlacementOf(seed, scenario)),
        random(seed),
        trace(lines),
        generations(GenerationsOf(seed, scenario)),
        without(scenario.without),
        operated(scenario.operated),
        rebuilt(operated && seed % kRebuiltEvery == 0),
        edges_a_call_max(seed % kSlowTablesEvery == 0 ? kSlowTablesEdgesMax : SIZE_MAX),
        series(series_of_thread),
        adapters(operated ? NewSqliteAdapters(placement, clock) : NewMemoryAdapters(placement)) {
    adapters->log().CountAppends();
    if (without == Protection::kOneDecider) adapters->LetAllDecide();
    if (without == Protection::kProfileVersions) adapters->LetOlderProfilesWin();
  }

  // The generations of a projection that are folded on a shard, or are to be.
  [[nodiscard]] std::vector<FoldedGeneration> Folded(Projection projection, Shard shard) const;
  [[nodiscard]] ReadGenerations Read() const;

  Placement placement;
  SplitMix64 random;
  Trace trace;
  Nemesis nemesis{random, trace};
  SimulatedClock clock;
  FollowLimit limit{static_cast<std::int64_t>(2 + random.Below(5))};  // of processes from now on
  // In memory, of following; which of them is to decide.
  std::vector<Generation> generations;
  Generation decider = kGeneration;
  Protection without;
  bool operated;
  bool rebuilt;          // tables are, by operators
  bool swapped = false;  // the log is another one: lanes may halt
  std::size_t edges_a_call_max;
  Series& series;
  std::unique_ptr<Adapters> adapters;
  Transit transit{adapters->log(), random, nemesis, trace};
  Oracle oracle{*adapters, placement};
  std::map<Shard, SharedLies> lies;
};

}  // namespace fanfold::simulation
