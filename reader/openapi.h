#pragma once

#include <string_view>

namespace fanfold {

// schemas/openapi/reader.yaml as it was when this was built.
[[nodiscard]] std::string_view ReaderOpenapi() noexcept;

}  // namespace fanfold
