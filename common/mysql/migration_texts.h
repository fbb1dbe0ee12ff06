// The files of schemas/mysql, embedded when the library is built.
#pragma once

#include <span>
#include <string_view>

namespace fanfold::mysql {

struct EmbeddedText {
  std::string_view name;  // the file's, without its extension: "0001_lanes"
  std::string_view text;
};

// By name, which begins with the number.
[[nodiscard]] std::span<const EmbeddedText> MigrationTexts() noexcept;

}  // namespace fanfold::mysql
