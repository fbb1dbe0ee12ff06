#pragma once

#include "common/base/metrics.h"
#include "common/http/router.h"
#include "writer/posts/post_service.h"

namespace fanfold::writer {

// POST /v1/users/{author}/posts, DELETE /v1/users/{author}/posts/{post_id} and POST
// /v1/post-events; counted and timed as the writer's others. `service` and `metrics` outlive every
// answer.
void AddPostRoutes(http::Router& router, PostService& service, Metrics& metrics);

}  // namespace fanfold::writer
