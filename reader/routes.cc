#include "reader/routes.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "reader/query_parser.h"

namespace fanfold::reader {
namespace {

constexpr std::size_t kStatusMax = 600;

// The series of one route. Thread-safe.
class RouteMetrics {
 public:
  RouteMetrics(Metrics& metrics, std::string route)
      : metrics_(metrics),
        route_(std::move(route)),
        seconds_(metrics.GetSeconds("fanfold_reader_seconds",
                                    "Time from a request's arrival to its answer",
                                    {{"route", route_}})) {}

  void Observe(int status, double seconds) {
    seconds_.Observe(seconds);
    Of(status).Add(1);
  }

 private:
  Counter& Of(int status) {
    std::atomic<Counter*>& slot = counters_.at(static_cast<std::size_t>(status) % kStatusMax);
    Counter* counter = slot.load(std::memory_order_acquire);
    if (counter == nullptr) {
      counter = &metrics_.GetCounter("fanfold_reader_requests_total", "Requests answered",
                                     {{"route", route_}, {"status", std::to_string(status)}});
      slot.store(counter, std::memory_order_release);
    }
    return *counter;
  }

  Metrics& metrics_;
  const std::string route_;
  Histogram& seconds_;
  std::array<std::atomic<Counter*>, kStatusMax> counters_{};
};

class RouteAdder {
 public:
  RouteAdder(http::Router& router, ReadExecutor& executor, Metrics& metrics)
      : router_(router), executor_(executor), metrics_(metrics) {}

  template <class Parse>
  void Add(http::Method method, std::string_view pattern, Parse parse,
           std::size_t body_bytes_max = http::Router::kBodyBytesMax) {
    const std::string route = std::string(http::ToString(method)) + ' ' + std::string(pattern);
    router_.Add(
        method, pattern,
        [parse, &executor = executor_, series = std::make_shared<RouteMetrics>(metrics_, route)](
            const http::Routed& routed, const http::Reply& reply) {
          const auto began = std::chrono::steady_clock::now();
          auto done = [reply, series, began](http::Response response) {
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
            series->Observe(response.status, took.count());
            reply(std::move(response));
          };
          ParsedRead parsed = parse(routed);
          if (!parsed) return done(std::move(parsed.error()));
          executor.Execute(*std::move(parsed), std::move(done), routed.request.caller);
        },
        body_bytes_max);
  }

  void AddList(std::string_view pattern, ListKind list) {
    Add(http::Method::kGet, pattern,
        [list](const http::Routed& routed) { return ParseList(list, routed); });
  }

 private:
  http::Router& router_;
  ReadExecutor& executor_;
  Metrics& metrics_;
};

}  // namespace

void AddReaderRoutes(http::Router& router, ReadExecutor& executor, Metrics& metrics) {
  using http::Method;
  RouteAdder adder(router, executor, metrics);
  adder.AddList("/v1/users/{id}/following", ListKind::kFollowing);
  adder.AddList("/v1/users/{id}/fans", ListKind::kFans);
  adder.AddList("/v1/users/{id}/friends", ListKind::kFriends);
  adder.Add(Method::kGet, "/v1/users/{id}/following/common", ParseCommon);
  adder.Add(Method::kGet, "/v1/users/{id}/fans/known", ParseKnown);
  adder.Add(Method::kGet, "/v1/users/{id}/counts", ParseCounts);
  adder.Add(Method::kGet, "/v1/counts", ParseCountsOfMany);
  adder.Add(Method::kGet, "/v1/users/{id}/relations", ParseRelations);
  adder.Add(Method::kPost, "/v1/users/{id}/relations", ParseRelationsBody, kRelationsBytesMax);
  adder.Add(Method::kGet, "/v1/users/{id}/suggestions", ParseSuggestions);
  adder.Add(Method::kGet, "/v1/users/{id}/fans/export", ParseFansExport);
  adder.Add(Method::kGet, "/v1/projections", ParseProjections);
}

}  // namespace fanfold::reader
