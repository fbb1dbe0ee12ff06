// The text of cursors: opaque to callers, letters, digits and '-', so it needs no escape in a
// query.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fanfold {

// "1-<number>-<number>…", lowercase hexadecimal; 1 is the version of the text.
[[nodiscard]] std::string EncodeCursorText(std::span<const std::uint64_t> numbers);

// False for anything that is not the text of exactly so many numbers, each at most 2^63−1; then
// what stands in `numbers` means nothing.
[[nodiscard]] bool DecodeCursorText(std::string_view text,
                                    std::span<std::uint64_t> numbers) noexcept;

}  // namespace fanfold
