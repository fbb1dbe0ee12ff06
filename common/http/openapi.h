// The description of the program's routes: the part of schemas/openapi.yaml, as it was when this
// was built, that is this program's. Each program links the one it answers for: fanfold_openapi in
// cmake/Targets.cmake.
#pragma once

#include <span>
#include <string_view>

#include "common/http/route_rules.h"

namespace fanfold::http {

[[nodiscard]] std::string_view OpenApi() noexcept;
// The same for a process that asks for no tokens.
[[nodiscard]] std::string_view OpenApiWhereOpen() noexcept;
// One a route.
[[nodiscard]] std::span<const RouteRule> RouteRules() noexcept;

}  // namespace fanfold::http
