// What an OpenAPI document describes, to be compared with a router.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fanfold {

// "PUT /v1/…" of every operation, sorted as Router::Routes. Requires: block style, two spaces a
// level, as cmake/openapi.py writes it.
[[nodiscard]] std::vector<std::string> RoutesIn(std::string_view openapi);

}  // namespace fanfold
