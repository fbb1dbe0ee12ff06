// Made by cmake/EmbedText.cmake.
#pragma once

#include <span>

#include "common/base/embedded_text.h"

namespace fanfold::console {

// One a file of cli/console/page, by its whole name.
[[nodiscard]] std::span<const EmbeddedText> PageTexts() noexcept;

}  // namespace fanfold::console
