#include "common/http/openapi.h"

#include <gtest/gtest.h>
#include <string>

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "tests/support/openapi_routes.h"
#include "tests/support/service_routes.h"

namespace fanfold::projector {
namespace {

TEST(ProjectorRoutes, TheSchemaNamesExactlyTheRoutes) {
  Metrics metrics;
  http::Router router;
  AddServiceRoutes(router, metrics);
  EXPECT_EQ(RoutesIn(http::OpenApi()), router.Routes());
}

}  // namespace
}  // namespace fanfold::projector
