// Reads JSON text that is exactly as this project writes it, without building a document.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace fanfold {

// Each call moves past what it names and says whether it was there. After a false nothing more may
// be read: the caller takes the general path over the whole text instead.
class CanonicalScanner {
 public:
  explicit CanonicalScanner(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] bool Literal(std::string_view literal) noexcept {
    if (!rest_.starts_with(literal)) return false;
    rest_.remove_prefix(literal.size());
    return true;
  }

  // Everything up to the next quote, which is passed. False when it holds an escape or anything but
  // printable ASCII.
  [[nodiscard]] bool StringBody(std::string_view& body) noexcept {
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const auto c = static_cast<unsigned char>(rest_[i]);
      if (c == '"') {
        body = rest_.substr(0, i);
        rest_.remove_prefix(i + 1);
        return true;
      }
      if (c < 0x20 || c > 0x7e || c == '\\') return false;
    }
    return false;
  }

  // 0 … 2^63−1, no leading zero.
  [[nodiscard]] bool NonNegative(std::int64_t& number) noexcept {
    if (rest_.empty() || rest_.front() == '-') return false;
    if (rest_.size() > 1 && rest_[0] == '0' && rest_[1] >= '0' && rest_[1] <= '9') return false;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  [[nodiscard]] bool AtEnd() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace fanfold
