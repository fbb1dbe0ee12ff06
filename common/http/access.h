// What stands before the routes of every process, and in which order. Outermost first:
//   1. http_server.h      connections, bytes and time: 408, 413, 431, 501
//   2. page_access.h      which hosts, pages and types of bodies: 400, 403, 415
//   3. Anonymous          who asks: nobody in particular
//   4. router.h           which route, how large a body it takes: 404, 405, 413
//   5. metered_routes.h   of a route: counted and timed
// 2 and 3 are wrappers, put together by Guarded alone; a new one has its place there.
#pragma once

#include "common/http/page_access.h"
#include "common/http/wrapper.h"

namespace fanfold::http {

// A request that comes through it is of nobody, whatever it says. A wrapper that checks a token
// takes its place; it decides about /healthz, /readyz and /metrics, too.
[[nodiscard]] Wrapper Anonymous();

// The routes behind the wrappers.
[[nodiscard]] Handler Guarded(AccessRules rules, Handler routes);

}  // namespace fanfold::http
