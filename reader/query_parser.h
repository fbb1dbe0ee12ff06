// From a routed HTTP request to a query. Pure. Each refusal is a 400 that names the parameter and
// what it must be: invalid_argument, invalid_cursor, unknown_parameter.
#pragma once

#include "common/http/router.h"
#include "reader/expansion.h"
#include "reader/parameters.h"
#include "reader/queries.h"

namespace fanfold::reader {

// A list of one user takes the user from path[0]. `expansions`: what `expand` may name.
[[nodiscard]] ParsedRead ParseList(ListKind list, const http::Routed& routed,
                                   const Expansions& expansions = {});
[[nodiscard]] ParsedRead ParseCommon(const http::Routed& routed, const Expansions& expansions = {});
[[nodiscard]] ParsedRead ParseKnown(const http::Routed& routed, const Expansions& expansions = {});
[[nodiscard]] ParsedRead ParseSuggestions(const http::Routed& routed,
                                          const Expansions& expansions = {});
[[nodiscard]] ParsedRead ParseCounts(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseCountsOfMany(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseRelations(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseRelation(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseRelationsBody(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseFansExport(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseProjections(const http::Routed& routed);

}  // namespace fanfold::reader
