#include "operations/log/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fanfold::operations {
namespace {

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kGroupBytes = 3;   // become
constexpr std::size_t kGroupDigits = 4;  // of
constexpr std::uint32_t kDigitBits = 6;  // each
constexpr std::uint32_t kByteBits = 8;
constexpr char kPadding = '=';

}  // namespace

std::string ToBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + kGroupBytes - 1) / kGroupBytes * kGroupDigits);
  for (std::size_t at = 0; at < bytes.size(); at += kGroupBytes) {
    const std::size_t count = std::min(kGroupBytes, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kGroupBytes; ++i) {
      bits = bits << kByteBits | (i < count ? static_cast<std::uint8_t>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < kGroupDigits; ++i) {
      const auto shift = static_cast<std::uint32_t>(kGroupDigits - 1 - i) * kDigitBits;
      text += i <= count ? kBase64Digits[bits >> shift & (kBase64Digits.size() - 1)] : kPadding;
    }
  }
  return text;
}

std::optional<std::string> FromBase64(std::string_view text) {
  if (text.size() % kGroupDigits != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / kGroupDigits * kGroupBytes);
  std::uint32_t bits = 0;
  std::uint32_t held = 0;
  for (const char digit : text) {
    if (digit == kPadding) break;
    const std::size_t value = kBase64Digits.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    bits = bits << kDigitBits | static_cast<std::uint32_t>(value);
    held += kDigitBits;
    if (held < kByteBits) continue;
    held -= kByteBits;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  if (ToBase64(bytes) != text) return std::nullopt;  // padding or bits where there are none
  return bytes;
}

}  // namespace fanfold::operations
