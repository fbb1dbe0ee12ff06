#pragma once

#include <string_view>

namespace fanfold::projector {

// The description of this process's routes, as GET /openapi.yaml answers it.
[[nodiscard]] std::string_view OpenApi() noexcept;

}  // namespace fanfold::projector
