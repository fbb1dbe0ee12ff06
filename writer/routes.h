// The writer's HTTP routes: requests to commands, answers to responses.
#pragma once

#include "common/base/metrics.h"
#include "common/http/metered_routes.h"
#include "common/http/router.h"
#include "writer/command_service.h"

namespace fanfold::writer {

// The series of every route of the writer, whose answers tell of writes.
[[nodiscard]] http::RouteSeries WriterSeries();

// Adds PUT and DELETE /v1/users/{subject}/following/{object}, DELETE /v1/users/{user}/fans/{fan}
// and POST /v1/events. `service` outlives the router's use, `metrics` every answer.
void AddWriterRoutes(http::Router& router, CommandService& service, Metrics& metrics);

}  // namespace fanfold::writer
