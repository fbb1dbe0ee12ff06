// The description of the program's routes.
#pragma once

#include <string_view>

namespace fanfold::http {

// The part of schemas/openapi.yaml, as it was when this was built, that is this program's. Each
// program links the one it answers for: fanfold_openapi in cmake/Targets.cmake.
[[nodiscard]] std::string_view OpenApi() noexcept;

}  // namespace fanfold::http
