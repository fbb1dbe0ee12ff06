// Pieces of lines of JSON, whatever library's `Json` it is. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/json_text.h"
#include "operations/log/import_line.h"

namespace fanfold::operations {

// The line's object. Errors: it is none, too deep, or names a member twice.
template <class Json>
[[nodiscard]] std::expected<Json, BadLine> ParseJsonObject(std::string_view line) {
  Json object = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::unexpected("not a JSON object");
  constexpr JsonBounds kBounds{.depth_max = 4, .values_max = 64};
  if (const Status checked = CheckJson(line, kBounds); !checked) {
    return std::unexpected("the line " + checked.error().message);
  }
  return object;
}

// The text of a string, the JSON of another value.
template <class Json>
[[nodiscard]] std::string TextOf(const Json& value) {
  return value.is_string() ? value.template get<std::string>()
                           : value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// A decimal string or an integer, 1 … 2^63−1.
template <class Json>
[[nodiscard]] std::optional<UserId> IdIn(const Json& value) {
  const bool is_text = value.is_string() || value.is_number_integer();
  return is_text ? ParseUserId(TextOf(value)) : std::nullopt;
}

// A member that is an id.
template <class Json>
[[nodiscard]] std::expected<UserId, BadLine> IdOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::unexpected(std::string(name) + " is missing");
  const std::optional<UserId> user = IdIn(*found);
  if (!user) return std::unexpected(NotAnId(name, TextOf(*found)));
  return *user;
}

// A time, a string or a number; nothing: it is none.
template <class Json>
[[nodiscard]] std::optional<std::int64_t> TimeOf(const Json& value, TimeUnit unit) {
  const bool is_text = value.is_string() || value.is_number();
  return is_text ? ParseTimeIn(unit, TextOf(value)) : std::nullopt;
}

}  // namespace fanfold::operations
