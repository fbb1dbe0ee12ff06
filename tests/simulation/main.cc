// simulation: runs the deployment in one thread on adapters in memory, one run a seed.
#include <CLI/CLI.hpp>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "common/base/logging.h"
#include "common/base/random.h"
#include "tests/simulation/seeds.h"
#include "tests/simulation/simulation.h"

namespace fanfold::simulation {
namespace {

constexpr std::uint64_t kFirstMax = 1'000'000'000;

int RunOne(std::uint64_t seed, const Scenario& scenario, bool verbose) {
  Series series;
  const RunResult run = Simulation(seed, scenario, series, verbose ? &std::cout : nullptr).Run();
  fmt::print("seed {}: {} events, {} turns, schedule {:016x}, final state {:016x}\n", seed,
             run.events, run.turns, run.schedule, run.state);
  if (!run.failure) return 0;
  fmt::print("failed: {}\n", *run.failure);
  return 1;
}

// A broken invariant of the product stops the process: then the seed is the last word.
void TellSeed(int) {
  std::fprintf(stderr, "aborted in seed %llu\n",
               static_cast<unsigned long long>(SeedOfThisThread()));
}

int RunMany(const SeedsOptions& options, const char* program) {
  std::signal(SIGABRT, TellSeed);
  fmt::print("seeds {} to {}\n", options.first, options.first + options.count - 1);
  const Summary summary = RunSeeds(options);
  Print(summary, std::cout);
  if (summary.first_failure) {
    fmt::print("seed {} failed: {}\nagain: {} --seed {} --verbose --without {}{}\n",
               summary.first_failure->seed, summary.first_failure->why, program,
               summary.first_failure->seed, NameOf(options.without),
               options.operated ? " --operated" : "");
    return 1;
  }
  const std::string rare = RareFaults(summary);
  if (rare.empty() || options.operated) return 0;
  fmt::print("met by fewer than one seed in a hundred: {}\n", rare);
  return 1;
}

std::optional<std::uint64_t> FirstOf(const std::string& text) {
  if (text == "any") return RandomBits() % kFirstMax + 1;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

int Main(int argc, char** argv) {
  CLI::App app("Simulates writer, projectors, relay and reader from seeds, faults included.");
  std::optional<std::uint64_t> seed;
  SeedsOptions options;
  options.threads = std::thread::hardware_concurrency();
  std::string without = "none";
  bool verbose = false;
  app.add_option("--seed", seed, "Run this one seed");
  app.add_flag("--verbose", verbose, "With --seed: print the schedule and the product's log");
  std::string first = "1";
  app.add_option("--first", first, "First of many seeds; any: drawn, and printed")
      ->capture_default_str();
  app.add_option("--seeds", options.count, "How many seeds")->capture_default_str();
  app.add_option("--threads", options.threads, "Threads over the seeds")->capture_default_str();
  app.add_option("--without", without,
                 "Take a protection out: fence, version-guard, relay-order,\n"
                 "count-in-transaction, recorded-outcomes,\n"
                 "outbox-in-transaction, outbox-recorded, rewound-views,\n"
                 "one-decider, awaited-tables, profile-versions, and of operated runs\n"
                 "repairs-fenced, one-moment, load-in-transaction");
  app.add_flag("--operated", options.operated,
               "On SQLite, with operators: rows changed by hand, an auditor, rebuilds");
  CLI11_PARSE(app, argc, argv);
  const std::optional<Protection> protection = ParseProtection(without);
  if (!protection) {
    std::cerr << "no such protection: " << without << '\n';
    return 1;
  }
  options.without = *protection;
  const std::optional<std::uint64_t> from = FirstOf(first);
  if (!from) {
    std::cerr << "--first must be a number or any: " << first << '\n';
    return 1;
  }
  options.first = *from;
  StartLogging("simulation", verbose ? LogLevel::kInfo : LogLevel::kError);
  return seed ? RunOne(*seed, {*protection, options.operated}, verbose) : RunMany(options, argv[0]);
}

}  // namespace
}  // namespace fanfold::simulation

int main(int argc, char** argv) { return fanfold::simulation::Main(argc, argv); }
