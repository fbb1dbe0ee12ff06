#pragma once

#include <string_view>

namespace fanfold {

// A file that was put into the program when it was built (cmake/EmbedText.cmake).
struct EmbeddedText {
  std::string_view name;
  std::string_view text;
};

}  // namespace fanfold
