// What every service answers beside its own routes.
#pragma once

#include <functional>
#include <string>

#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/http/router.h"

namespace fanfold::http {

// GET /healthz (200 {"status":"ok"}), /readyz (200, or 503 with the reason), /metrics,
// /openapi.yaml
// (`openapi` as it is; the route is left out when it is empty). `ready` is called on an IO thread
// and must not block.
void AddServiceRoutes(Router& router, const Metrics& metrics, std::function<Status()> ready,
                      std::string openapi);

}  // namespace fanfold::http
