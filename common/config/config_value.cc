#include "common/config/config_value.h"

#include <algorithm>
#include <charconv>
#include <ranges>

#include "common/base/json_text.h"
#include "common/base/trimmed.h"

namespace fanfold {
namespace {

// A string of JSON is one of TOML, but for DEL, which TOML wants escaped.
std::string Quoted(const std::string& text) {
  constexpr char kDelete = '\x7f';
  std::string quoted = JsonQuoted(text);
  for (std::size_t at = 0; (at = quoted.find(kDelete, at)) != quoted.npos;) {
    quoted.replace(at, 1, "\\u007f");
  }
  return quoted;
}

struct Toml {
  std::string operator()(const OtherValue& /*value*/) const { return {}; }
  std::string operator()(bool is_on) const { return is_on ? "true" : "false"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(const std::string& text) const { return Quoted(text); }
  std::string operator()(const std::vector<std::string>& list) const {
    std::string out;
    for (const std::string& one : list) out += (out.empty() ? "" : ", ") + Quoted(one);
    return "[" + out + "]";
  }
};

}  // namespace

ConfigValue ParseConfigValue(std::string_view text, ValueKind kind) {
  switch (kind) {
    case ValueKind::kText:
    case ValueKind::kPath:
      return std::string(text);
    case ValueKind::kList: {
      std::vector<std::string> list;
      for (const auto part : std::views::split(text, ',')) {
        list.emplace_back(Trimmed(std::string_view(part.begin(), part.end())));
      }
      return list;
    }
    case ValueKind::kSwitch:
      if (text == "true") return true;
      if (text == "false") return false;
      return OtherValue();
    case ValueKind::kNumber: {
      std::int64_t number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error == std::errc() && end == text.data() + text.size()) return number;
      return OtherValue();
    }
  }
  return OtherValue();
}

std::string TomlOf(const ConfigValue& value) { return std::visit(Toml(), value); }

}  // namespace fanfold
