#pragma once

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "writer/feed/shown_service.h"

namespace fanfold::writer {

// POST /v1/users/{id}/feed/shown. The service and the metrics outlive every answer.
void AddShownRoutes(http::Router& router, ShownService& service, Metrics& metrics);

}  // namespace fanfold::writer
