// The reader's routes: HTTP in, HTTP out.
#pragma once

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "reader/read_executor.h"

namespace fanfold::reader {

// Everything under /v1. All outlive the router.
void AddReaderRoutes(http::Router& router, ReadExecutor& executor, Metrics& metrics);

}  // namespace fanfold::reader
