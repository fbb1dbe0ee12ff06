// The routes of one service, counted and timed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/base/metrics.h"
#include "common/http/router.h"

namespace fanfold::http {

// Names of series; each has a label `route`, "GET /v1/…".
struct RouteSeries {
  std::string requests;  // a counter, by `code` as well: the status
  std::string seconds;   // a histogram
  bool writes = false;   // their answers tell of writes
};

// Adds to a router. A request counts once its handler is called, with its answer, whenever that
// comes; one that was refused before it came to the router counts and is not timed; what the router
// answers by itself is of no route.
class MeteredRoutes {
 public:
  // Both outlive every answer.
  MeteredRoutes(Router& router, Metrics& metrics, RouteSeries series);

  void Add(Method method, std::string_view pattern, Router::RouteHandler handler,
           std::size_t body_bytes_max = Router::kBodyBytesMax);

 private:
  Router& router_;
  Metrics& metrics_;
  const RouteSeries series_;
};

}  // namespace fanfold::http
