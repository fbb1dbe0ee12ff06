#include "common/access/base64url.h"

#include <algorithm>
#include <cstddef>

namespace fanfold {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Of the last digit, those that no byte takes: 4 where two are left, 2 where three are.
std::size_t UnusedBits(std::size_t digits) {
  constexpr std::size_t kDigitsOfThreeBytes = 4;
  const std::size_t left = digits % kDigitsOfThreeBytes;
  return left == 2 ? 4 : left == 3 ? 2 : 0;
}

}  // namespace

bool IsBase64Url(std::string_view text) noexcept {
  if (text.find_first_not_of(kDigits) != text.npos || text.size() % 4 == 1) return false;
  if (text.empty()) return true;
  const std::size_t last = kDigits.find(text.back());
  return (last & ((std::size_t{1} << UnusedBits(text.size())) - 1)) == 0;
}

std::size_t Base64UrlDigits(std::size_t bytes) noexcept { return (bytes * 4 + 2) / 3; }

bool IsCompactJws(std::string_view token) noexcept {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (first == token.npos || std::ranges::count(token, '.') != 2) return false;
  const std::string_view parts[] = {
      token.substr(0, first), token.substr(first + 1, last - first - 1), token.substr(last + 1)};
  return std::ranges::all_of(
      parts, [](std::string_view part) { return !part.empty() && IsBase64Url(part); });
}

}  // namespace fanfold
