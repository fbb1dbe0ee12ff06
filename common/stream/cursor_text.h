// The text of cursors: opaque to callers, letters, digits and '-', so it needs no escape in a
// query.
//
// "c1-<number>-<number>…-<check>", lowercase hexadecimal: 1 is the version, the check is eight
// digits over all that stands before. Releases before wrote "1-<number>…", which is still taken.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fanfold {

[[nodiscard]] std::string EncodeCursorText(std::span<const std::uint64_t> numbers,
                                           char version = '1');

// False for anything that is not the text of exactly so many numbers in that version, each at most
// 2^63−1, and for a text that was cut or altered; then what stands in `numbers` means nothing.
[[nodiscard]] bool DecodeCursorText(std::string_view text, std::span<std::uint64_t> numbers,
                                    char version = '1') noexcept;

// Is the text, if it is any, of that version? Judges neither numbers nor check.
[[nodiscard]] bool IsOfVersion(std::string_view text, char version) noexcept;

}  // namespace fanfold
