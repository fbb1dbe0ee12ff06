#include "common/http/headers.h"

#include <algorithm>

namespace fanfold::http {
namespace {

// More is given back when it is cleared.
constexpr std::size_t kBytesKept = 4096;

constexpr char Lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool EqualsIgnoringCase(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, Lower, Lower);
}

bool Headers::Add(std::string_view name, std::string_view value) {
  if (lines_ == kLinesMax) return false;
  ++lines_;
  std::size_t at = 0;
  for (Field& field : fields_) {
    const std::string_view earlier = std::string_view(text_).substr(at, field.name_size);
    at += field.name_size + field.value_size;
    if (!EqualsIgnoringCase(earlier, name)) continue;
    text_.insert(at, value).insert(at, 1, ',');
    field.value_size += 1 + value.size();
    return true;
  }
  text_.append(name).append(value);
  fields_.push_back({name.size(), value.size()});
  return true;
}

std::optional<std::string_view> Headers::Get(std::string_view name) const noexcept {
  std::string_view rest = text_;
  for (const auto [name_size, value_size] : fields_) {
    if (EqualsIgnoringCase(rest.substr(0, name_size), name)) {
      return rest.substr(name_size, value_size);
    }
    rest.remove_prefix(name_size + value_size);
  }
  return std::nullopt;
}

void Headers::Clear() {
  text_.clear();
  fields_.clear();
  lines_ = 0;
  if (text_.capacity() > kBytesKept) text_.shrink_to_fit();
}

}  // namespace fanfold::http
