// GET /v1/changes.
#pragma once

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "reader/changes/change_hub.h"

namespace fanfold::reader {

// All outlive the router.
void AddChangeRoutes(http::Router& router, ChangeHub& hub, Metrics& metrics);

}  // namespace fanfold::reader
