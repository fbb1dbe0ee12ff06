// Everything that stands before the routes of every process, in order. Outermost first:
//   1. http_server.h      connections (peer_connections.h), bytes and time: 408, 413, 431, 501
//   2. page_access.h      which hosts and pages: 400, 403 origin_refused
//   3. authentication.h   who asks: 401
//   4. limits.h           how much they may ask: 429, counted with the route's answers
//   5. page_access.h      which types of bodies, once who asks is known: 415
//   6. router.h           which route, whose it is, how large a body it takes: 401, 403, 404, 405,
//   413; then the body is taken
//   7. metered_routes.h   of a route: counted and timed
// 2 to 5 are wrappers, put together by Guarded alone; a new one has its place there.
#pragma once

#include "common/access/verifier.h"
#include "common/http/limits.h"
#include "common/http/page_access.h"
#include "common/http/router.h"
#include "common/http/wrapper.h"

namespace fanfold::http {

struct Guards {
  Verifier* verifier = nullptr;  // of the tokens that are asked for; null: nobody is asked
  Limits* limits = nullptr;      // null: none
  // Only paths that begin with it ask for a token; empty: all paths do.
  std::string_view asked_below = {};
  Workers* workers = nullptr;  // for large bodies and answers; null: connections' threads do it
};

// The routes behind the wrappers. The guards outlive the handler. Requires: the routes have rules.
[[nodiscard]] Handler Guarded(AccessRules rules, const Guards& guards, Router routes);

}  // namespace fanfold::http
