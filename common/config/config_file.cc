#include "common/config/config_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <toml++/toml.h>
#include <utility>

#include "common/base/json_text.h"

namespace fanfold {
namespace {

using Json = nlohmann::json;

std::string Joined(std::string_view table, std::string_view key) {
  return table.empty() ? std::string(key) : fmt::format("{}.{}", table, key);
}

ConfigValue ValueOf(const toml::node& node) {
  if (const auto* is_on = node.as_boolean()) return is_on->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* text = node.as_string()) return text->get();
  const toml::array* array = node.as_array();
  if (array == nullptr) return OtherValue();
  std::vector<std::string> list;
  for (const toml::node& one : *array) {
    const auto* text = one.as_string();
    if (text == nullptr) return OtherValue();
    list.push_back(text->get());
  }
  return list;
}

void Flatten(const toml::table& table, const std::string& name, std::vector<ConfigEntry>& out) {
  for (const auto& [key, node] : table) {
    const std::string full = Joined(name, key.str());
    const toml::table* inner = node.as_table();
    if (inner != nullptr && !inner->empty()) {
      Flatten(*inner, full, out);
    } else {
      out.push_back({full, ValueOf(node), static_cast<int>(key.source().begin.line)});
    }
  }
}

ConfigValue ValueOf(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) {
    const bool fits = !json.is_number_unsigned() || json.get<std::uint64_t>() <= INT64_MAX;
    return fits ? ConfigValue(json.get<std::int64_t>()) : ConfigValue();
  }
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_array()) return OtherValue();
  std::vector<std::string> list;
  for (const Json& one : json) {
    if (!one.is_string()) return OtherValue();
    list.push_back(one.get<std::string>());
  }
  return list;
}

Result<ConfigText> OfJson(std::string_view text) {
  constexpr JsonBounds kBounds{.depth_max = 2, .values_max = 10'000};
  if (const Status checked = CheckJson(text, kBounds); !checked) {
    return Fail(checked.error().code, "the text " + checked.error().message);
  }
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return Fail(ErrorCode::kInvalidArgument, "not a JSON object");
  ConfigText out{{}, true};
  for (const auto& [key, value] : document.items()) out.entries.push_back({key, ValueOf(value)});
  return out;
}

Result<ConfigText> OfToml(std::string_view text) {
  try {
    ConfigText out;
    Flatten(toml::parse(text), "", out.entries);
    return out;
  } catch (const toml::parse_error& error) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("line {}: {}", error.source().begin.line, error.description()));
  }
}

}  // namespace

Result<ConfigText> ParseConfigText(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (text.size() > kConfigBytesMax) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("has {} bytes, of at most {}", text.size(), kConfigBytesMax));
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '{' ? OfJson(text) : OfToml(text);
}

}  // namespace fanfold
