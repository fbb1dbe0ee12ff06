#include "common/base/json_text.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fanfold {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kNameShownMax = 40;

Status Wrong(std::string why) { return Fail(ErrorCode::kInvalidArgument, std::move(why)); }

bool IsStructure(char c) {
  return c == '"' || c == ',' || c == '{' || c == '}' || c == '[' || c == ']';
}

// Of the string that begins at `begin`: where its second quote stands, or the text's end.
std::size_t EndOfString(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at, text.size());
}

bool StandsAsItIs(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return c >= 0x20 && c <= 0x7e && c != '"' && c != '\\'; });
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20; }

void AppendControl(std::string& json, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kNamed = "\b\t\n\f\r";
  constexpr std::string_view kNames = "btnfr";
  json += '\\';
  if (const std::size_t named = kNamed.find(c); named != kNamed.npos) {
    json += kNames[named];
    return;
  }
  json += "u00";
  json += kHex[static_cast<std::size_t>(c) >> 4];
  json += kHex[static_cast<std::size_t>(c) & 0xf];
}

// The lists and objects that are open, and the names in them.
class Scanner {
 public:
  explicit Scanner(const JsonBounds& bounds) : bounds_(bounds) {}

  void String(std::string_view inside) {
    if (name_is_next_) names_.push_back(Plain(inside));
    name_is_next_ = false;
  }

  Status Open(bool is_object) {
    if (open_.size() == bounds_.depth_max) {
      return Wrong(fmt::format("is nested deeper than {}", bounds_.depth_max));
    }
    open_.push_back({is_object, names_.size()});
    return Next();
  }

  Status Next() {
    name_is_next_ = !open_.empty() && open_.back().is_object;
    if (++values_ <= bounds_.values_max) return {};
    return Fail(ErrorCode::kOutOfRange, fmt::format("has more than {} values", bounds_.values_max));
  }

  Status Close() {
    if (open_.empty()) return {};
    const auto first = names_.begin() + static_cast<std::ptrdiff_t>(open_.back().names_before);
    std::sort(first, names_.end());
    const auto twice = std::adjacent_find(first, names_.end());
    if (twice != names_.end()) {
      return Wrong(
          fmt::format("names \"{}\" twice in one object", twice->substr(0, kNameShownMax)));
    }
    names_.erase(first, names_.end());
    open_.pop_back();
    name_is_next_ = false;
    return {};
  }

 private:
  struct Container {
    bool is_object;
    std::size_t names_before;
  };

  std::string_view Plain(std::string_view inside) {
    if (!inside.contains('\\')) return inside;
    const Json text =
        Json::parse(fmt::format("\"{}\"", inside), nullptr, /*allow_exceptions=*/false);
    return text.is_string() ? unescaped_.emplace_back(text.get<std::string>()) : inside;
  }

  const JsonBounds bounds_;
  std::size_t values_ = 0;
  bool name_is_next_ = false;
  std::vector<Container> open_;
  std::vector<std::string_view> names_;  // of all that are open, those of the innermost last
  std::deque<std::string> unescaped_;
};

}  // namespace

Status CheckJson(std::string_view text, const JsonBounds& bounds) {
  // A parser takes it for the end of the text, and does not look at what stands behind it.
  if (text.contains('\0')) return Wrong("has a NUL byte");
  Scanner scanner(bounds);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!IsStructure(c)) continue;
    Status status;
    if (c == '"') {
      const std::size_t end = EndOfString(text, at);
      scanner.String(text.substr(at + 1, end - at - 1));
      at = end;
    } else if (c == '{' || c == '[') {
      status = scanner.Open(c == '{');
    } else if (c == '}' || c == ']') {
      status = scanner.Close();
    } else {
      status = scanner.Next();
    }
    if (!status) return status;
  }
  return {};
}

// Of a thousand of them the library writes each by its own call of printf.
std::string JsonQuoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const auto control = std::ranges::find_if(text, IsControl);
    const std::string_view plain(text.begin(), control);
    if (StandsAsItIs(plain)) {
      quoted += plain;
    } else {
      const std::string dumped = OneLine(Json(plain));
      quoted.append(dumped, 1, dumped.size() - 2);
    }
    text.remove_prefix(plain.size());
    if (text.empty()) break;
    AppendControl(quoted, text.front());
    text.remove_prefix(1);
  }
  return quoted += '"';
}

std::string JsonPlain(std::string_view text) {
  if (StandsAsItIs(text)) return fmt::format("\"{}\"", text);
  return Json(text).dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

}  // namespace fanfold
