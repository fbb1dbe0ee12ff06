#include "common/http/metered_routes.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <utility>

namespace fanfold::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kStatusMax = 600;

// Of one route. Thread-safe.
class RouteMeter {
 public:
  RouteMeter(Metrics& metrics, const RouteSeries& series, std::string route)
      : metrics_(metrics),
        requests_(series.requests),
        route_(std::move(route)),
        seconds_(metrics.GetSeconds(series.seconds, "Time from a request's arrival to its answer",
                                    {{"route", route_}})) {}

  void Observe(int status, SteadyClock::time_point began) {
    seconds_.Observe(std::chrono::duration<double>(SteadyClock::now() - began).count());
    Count(status);
  }
  void Count(int status) { Of(status).Add(1); }

 private:
  // Series are looked up by name once.
  Counter& Of(int status) {
    std::atomic<Counter*>& slot = counters_.at(static_cast<std::size_t>(status) % kStatusMax);
    Counter* counter = slot.load(std::memory_order_acquire);
    if (counter == nullptr) {
      counter = &metrics_.GetCounter(requests_, "Requests answered",
                                     {{"route", route_}, {"code", std::to_string(status)}});
      slot.store(counter, std::memory_order_release);
    }
    return *counter;
  }

  Metrics& metrics_;
  const std::string requests_;
  const std::string route_;
  Histogram& seconds_;
  std::array<std::atomic<Counter*>, kStatusMax> counters_{};
};

}  // namespace

MeteredRoutes::MeteredRoutes(Router& router, Metrics& metrics, RouteSeries series)
    : router_(router), metrics_(metrics), series_(std::move(series)) {}

void MeteredRoutes::Add(Method method, std::string_view pattern, Router::RouteHandler handler,
                        std::size_t body_bytes_max) {
  std::string route = std::string(ToString(method)) + ' ' + std::string(pattern);
  auto meter = std::make_shared<RouteMeter>(metrics_, series_, std::move(route));
  router_.Add(
      method, pattern,
      [handler = std::move(handler), meter, writes = series_.writes](const Routed& routed,
                                                                     Reply reply) {
        const SteadyClock::time_point began = SteadyClock::now();
        reply.Pass([meter, began, writes](Response& response) {
          response.tells_of_write = writes;
          meter->Observe(response.status, began);
        });
        handler(routed, std::move(reply));
      },
      body_bytes_max, [meter](int status) { meter->Count(status); });
}

}  // namespace fanfold::http
