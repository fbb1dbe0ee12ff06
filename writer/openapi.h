#pragma once

#include <string_view>

namespace fanfold::writer {

// schemas/openapi/writer.yaml as it was when this was built.
[[nodiscard]] std::string_view OpenApi() noexcept;

}  // namespace fanfold::writer
