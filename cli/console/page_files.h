// The files of the page, as they were when this was built. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "common/http/http_server.h"

namespace fanfold::console {

// cli/console/page/NAME with what a browser is told of it: nothing is taken from elsewhere, nothing
// inline is run, and nobody frames it. Nothing: there is none of that name.
[[nodiscard]] std::optional<http::Response> PageFile(std::string_view name);

}  // namespace fanfold::console
