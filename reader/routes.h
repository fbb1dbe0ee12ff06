// The reader's routes: HTTP in, HTTP out.
#pragma once

#include <memory>
#include <span>

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "reader/read_executor.h"
#include "reader/tenant.h"

namespace fanfold::reader {

// Everything under /v1, with what the tenants add. All outlive the router.
void AddReaderRoutes(http::Router& router, ReadExecutor& executor, Metrics& metrics,
                     std::span<const std::unique_ptr<Tenant>> tenants = {});

}  // namespace fanfold::reader
