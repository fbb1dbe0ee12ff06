// What a request costs to be counted and timed: a route of the router beside the same one, metered.
#include <benchmark/benchmark.h>

#include "common/http/metered_routes.h"

namespace fanfold::http {
namespace {

constexpr std::string_view kPattern = "/v1/users/{id}/relations";

void Answer(const Routed& /*routed*/, const Reply& reply) { reply(Response{}); }

void AskAgainAndAgain(const Router& router, benchmark::State& state) {
  Request request;
  request.path = "/v1/users/1234/relations";
  request.query = "to=5678";
  for ([[maybe_unused]] auto _ : state) {
    router(request, Reply([](Response&& told) { benchmark::DoNotOptimize(told.status); }));
  }
}

void Plain(benchmark::State& state) {
  Router router;
  router.Add(Method::kGet, kPattern, Answer);
  AskAgainAndAgain(router, state);
}

void Metered(benchmark::State& state) {
  Router router;
  Metrics metrics;
  MeteredRoutes(router, metrics, {.requests = "requests_total", .seconds = "request_seconds"})
      .Add(Method::kGet, kPattern, Answer);
  AskAgainAndAgain(router, state);
}

BENCHMARK(Plain)->Unit(benchmark::kMicrosecond);
BENCHMARK(Metered)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fanfold::http

BENCHMARK_MAIN();
