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

// The same of a file that is followed: what is none, as a pipe, which could keep its reader for
// ever, "is no regular file".
[[nodiscard]] std::expected<std::string, std::string_view> ReadRegularUpTo(const std::string& path,
                                                                           std::size_t bytes_max);
// The same of one that open(2) has answered with; closes it.
[[nodiscard]] std::expected<std::string, std::string_view> ReadOpenedUpTo(int file,
                                                                          std::size_t bytes_max);

}  // namespace fanfold
