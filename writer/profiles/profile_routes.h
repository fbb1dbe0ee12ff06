#pragma once

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "writer/profiles/profile_service.h"

namespace fanfold::writer {

// PUT /v1/users/{id}/profile, DELETE /v1/users/{id} and POST /v1/users/{id}/restore; counted and
// timed as the writer's others. `service` and `metrics` outlive every answer.
void AddProfileRoutes(http::Router& router, ProfileService& service, Metrics& metrics);

}  // namespace fanfold::writer
