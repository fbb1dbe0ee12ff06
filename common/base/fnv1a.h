// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): tells texts apart, keeps no secret.
#pragma once

#include <cstdint>
#include <string_view>

namespace fanfold {

inline constexpr std::uint64_t kFnvOffsetBasis = 0xcbf29ce484222325ULL;

[[nodiscard]] constexpr std::uint64_t Fnv1a(std::string_view bytes,
                                            std::uint64_t hash = kFnvOffsetBasis) noexcept {
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace fanfold
