// Tokens that were found good, so that each is judged once.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/access/principal.h"

namespace fanfold {

// Thread-safe. Full, it forgets what it has known longest.
class RememberedTokens {
 public:
  static constexpr std::size_t kBytesMax = std::size_t{64} << 20;
  // Bytes that a token takes beside its text: nodes, pointers, its principal.
  static constexpr std::size_t kBytesBeside = 512;

  explicit RememberedTokens(std::size_t bytes_max = kBytesMax);

  // Null where it is not known, or is over.
  [[nodiscard]] PrincipalPtr Find(std::string_view token, std::int64_t now_ms);
  void Add(std::string_view token, PrincipalPtr principal);

 private:
  // Good tokens alone stand here: nobody can fill a bucket with others.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view token) const noexcept {
      return std::hash<std::string_view>()(token);
    }
  };
  using Tokens = std::unordered_map<std::string, PrincipalPtr, Hash, std::equal_to<>>;
  struct Part {
    std::mutex mutex;
    Tokens tokens;
    std::deque<const std::string*> order;  // of coming; keys of the map
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kParts = 16;

  [[nodiscard]] Part& PartOf(std::string_view token) { return parts_[Hash()(token) % kParts]; }

  const std::size_t part_bytes_max_;
  std::array<Part, kParts> parts_;
};

}  // namespace fanfold
