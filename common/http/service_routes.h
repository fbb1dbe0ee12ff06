// The routes that every service has beside its own.
#pragma once

#include <functional>
#include <string>

#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/http/router.h"

namespace fanfold::http {

// GET /healthz (200 {"status":"ok"}), /readyz (200, or 503) and, where `openapi` is not empty,
// /openapi.yaml, which is it. Why it is not ready is told to whoever has the scope operate. `ready`
// is called on an IO thread and must not block.
void AddHealthRoutes(Router& router, std::function<Status()> ready, std::string openapi);

// GET /: a page that leads to the console and the API, as far as `router` has them by now.
void AddRootPage(Router& router);

// GET /metrics, which `workers` put together, GET and PUT /log_level. Both outlive every answer.
void AddOperatorRoutes(Router& router, Metrics& metrics, Workers& workers);

}  // namespace fanfold::http
