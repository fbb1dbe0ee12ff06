#include "tests/simulation/seeds.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "tests/simulation/simulation.h"

namespace fanfold::simulation {
namespace {

constexpr double kRareShare = 0.01;
// Of fewer seeds, as sanitizers have, a share so small is chance.
constexpr std::uint64_t kSeedsToTell = 10'000;

thread_local std::uint64_t t_seed = 0;

// What the threads write down together. Thread-safe.
class Tally {
 public:
  Tally() {
    summary_.events_min = std::numeric_limits<int>::max();
    summary_.faults_min = std::numeric_limits<int>::max();
  }

  void Add(std::uint64_t seed, const RunResult& run) {
    const std::lock_guard lock(mutex_);
    ++summary_.seeds;
    summary_.turns += static_cast<std::uint64_t>(run.turns);
    states_.insert(run.state);
    for (std::size_t i = 0; i < kFaults; ++i) summary_.seeds_with[i] += run.faults[i] > 0 ? 1 : 0;
    if (run.failure) return AddFailure(seed, *run.failure);
    summary_.events_min = std::min(summary_.events_min, run.events);
    summary_.events_max = std::max(summary_.events_max, run.events);
    summary_.faults_min =
        std::min(summary_.faults_min, std::accumulate(run.faults.begin(), run.faults.end(), 0));
  }

  [[nodiscard]] bool HasFailure() {
    const std::lock_guard lock(mutex_);
    return summary_.first_failure.has_value();
  }

  [[nodiscard]] Summary Take() {
    summary_.states = states_.size();
    return summary_;
  }

 private:
  void AddFailure(std::uint64_t seed, const std::string& why) {
    ++summary_.failed;
    if (summary_.first_failure && summary_.first_failure->seed < seed) return;
    summary_.first_failure = FailedSeed{seed, why};
  }

  std::mutex mutex_;
  Summary summary_;
  std::set<std::uint64_t> states_;
};

}  // namespace

std::uint64_t SeedOfThisThread() noexcept { return t_seed; }

Summary RunSeeds(const SeedsOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  std::atomic<std::uint64_t> next = options.first;
  const auto work = [&] {
    Series series;
    while (true) {
      const std::uint64_t seed = next.fetch_add(1);
      if (seed >= options.first + options.count) return;
      if (options.to_first_failure && tally.HasFailure()) return;
      t_seed = seed;
      tally.Add(seed, Simulation(seed, {options.without, options.operated}, series, nullptr).Run());
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < options.threads; ++i) threads.emplace_back(work);
  }
  Summary summary = tally.Take();
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

std::string RareFaults(const Summary& summary) {
  std::string rare;
  if (summary.seeds < kSeedsToTell) return rare;
  for (std::size_t i = 0; i < kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    // Only operators meet them.
    if (fault == CrashAt(PortCall::kOperate, false) || fault == CrashAt(PortCall::kOperate, true) ||
        fault == Fault::kMended) {
      continue;
    }
    if (summary.seeds_with[i] >= kRareShare * static_cast<double>(summary.seeds)) continue;
    rare += (rare.empty() ? "" : ", ") + NameOf(fault);
  }
  return rare;
}

void Print(const Summary& summary, std::ostream& out) {
  const auto seeds = static_cast<double>(std::max<std::uint64_t>(summary.seeds, 1));
  fmt::print(out, "{:<28}{:>8}{:>9}\n", "fault", "seeds", "%");
  for (std::size_t i = 0; i < kFaults; ++i) {
    fmt::print(out, "{:<28}{:>8}{:>9.1f}\n", NameOf(static_cast<Fault>(i)), summary.seeds_with[i],
               100.0 * summary.seeds_with[i] / seeds);
  }
  fmt::print(
      out,
      "{} seeds in {:.1f} s, {} failed; {} final states differ; {} to {} events and at least "
      "{} faults each, {:.0f} turns on average\n",
      summary.seeds, summary.seconds, summary.failed, summary.states, summary.events_min,
      summary.events_max, summary.faults_min, static_cast<double>(summary.turns) / seeds);
}

}  // namespace fanfold::simulation
