// A small file, whole.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace fanfold {

// Its first bytes_max + 1 bytes, so that a longer one is known by its size; else what is wrong,
// behind its name: "cannot be opened", "cannot be read".
[[nodiscard]] std::expected<std::string, std::string_view> ReadUpTo(const std::string& path,
                                                                    std::size_t bytes_max);

}  // namespace fanfold
