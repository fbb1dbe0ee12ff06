// Many runs, one a seed, on all cores.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "tests/simulation/faults.h"
#include "tests/simulation/protections.h"

namespace fanfold::simulation {

struct SeedsOptions {
  std::uint64_t first = 1;
  std::uint64_t count = 10'000;
  Protection without = Protection::kNone;
  bool operated = false;
  bool to_first_failure = false;  // begin no seed after one has failed
  unsigned threads = 1;
};

struct FailedSeed {
  std::uint64_t seed = 0;
  std::string why;
};

struct Summary {
  std::uint64_t seeds = 0;
  std::uint64_t failed = 0;
  std::optional<FailedSeed> first_failure;  // the lowest seed's
  FaultCounts seeds_with{};                 // how many seeds met each fault
  std::uint64_t states = 0;                 // final states that differ from each other
  int events_min = 0;
  int events_max = 0;
  int faults_min = 0;
  std::uint64_t turns = 0;
  double seconds = 0;
};

[[nodiscard]] Summary RunSeeds(const SeedsOptions& options);

// The seed that the calling thread runs, for whoever reports an abort. 0: none.
[[nodiscard]] std::uint64_t SeedOfThisThread() noexcept;

// Faults that fewer than one seed in a hundred has met; none where the seeds are too few to tell.
[[nodiscard]] std::string RareFaults(const Summary& summary);

void Print(const Summary& summary, std::ostream& out);

}  // namespace fanfold::simulation
