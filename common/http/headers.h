// The headers of one request. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fanfold::http {

// Ignores the case of ASCII letters, as for names of headers, hosts and media types.
[[nodiscard]] bool EqualsIgnoringCase(std::string_view a, std::string_view b) noexcept;

// Thread-compatible. Its bytes are bounded by what fills it (ServerOptions::header_bytes_max).
class Headers {
 public:
  static constexpr std::size_t kLinesMax = 256;

  // Several lines of one name are one, joined with commas (RFC 9110, 5.3). False, and nothing is
  // added: there are kLinesMax already.
  [[nodiscard]] bool Add(std::string_view name, std::string_view value);
  // Whatever the case of its name; nothing where there is no such line. Valid until the next
  // change.
  [[nodiscard]] std::optional<std::string_view> Get(std::string_view name) const noexcept;
  void Clear();
  // The bytes of the names and values.
  [[nodiscard]] std::size_t bytes() const noexcept { return text_.size(); }

 private:
  struct Field {
    std::size_t name_size = 0;
    std::size_t value_size = 0;
  };

  std::string text_;  // name, value, name, value …
  std::vector<Field> fields_;
  std::size_t lines_ = 0;
};

}  // namespace fanfold::http
