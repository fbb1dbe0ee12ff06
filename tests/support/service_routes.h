// What every process answers, for tests of one process's routes.
#pragma once

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "common/http/service_routes.h"

namespace fanfold {

// With an /openapi.yaml. `metrics` outlives the router.
inline void AddServiceRoutes(http::Router& router, Metrics& metrics) {
  http::AddHealthRoutes(router, [] { return Status(); }, "openapi: 3.0.3\n");
  static http::Workers workers(1);
  http::AddOperatorRoutes(router, metrics, workers);
  http::AddRootPage(router);
}

}  // namespace fanfold
