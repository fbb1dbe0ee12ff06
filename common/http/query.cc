#include "common/http/query.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "common/http/problem.h"

namespace fanfold::http {
namespace {

constexpr std::ptrdiff_t kEscapeDigits = 2;
constexpr int kHexBase = 16;
constexpr std::size_t kNameShownMax = 40;

}  // namespace

std::optional<std::string> PercentDecoded(std::string_view text, bool is_query) {
  const auto is_coded = [](char c) { return c == '%' || c == '+'; };
  if (std::ranges::none_of(text, is_coded)) return std::string(text);
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && is_query) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const std::string_view digits = text.substr(i + 1, kEscapeDigits);
      unsigned char byte = 0;
      const auto parsed =
          std::from_chars(digits.data(), digits.data() + digits.size(), byte, kHexBase);
      if (parsed.ptr - digits.data() != kEscapeDigits) return std::nullopt;
      decoded += static_cast<char>(byte);
      i += kEscapeDigits;
    }
  }
  return decoded;
}

std::expected<Query, Response> Query::Parse(std::string_view query) {
  Query parsed;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view piece = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (piece.empty()) continue;
    const std::size_t equals = std::min(piece.find('='), piece.size());
    auto name = PercentDecoded(piece.substr(0, equals), true);
    auto value = PercentDecoded(piece.substr(std::min(equals + 1, piece.size())), true);
    if (!name || !value)
      return std::unexpected(
          Problem(problems::kInvalidArgument, "the query has a broken %-escape"));
    if (std::string* earlier = parsed.Find(*name)) {
      earlier->append(",").append(*value);
      continue;
    }
    if (parsed.parameters_.size() == kParametersMax) {
      return std::unexpected(Problem(problems::kInvalidArgument, "too many parameters"));
    }
    parsed.parameters_.emplace_back(std::move(*name), std::move(*value));
  }
  return parsed;
}

std::string* Query::Find(std::string_view name) {
  const auto found = std::ranges::find(parameters_, name, [](const auto& of) { return of.first; });
  return found == parameters_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> Query::Get(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<Response> Query::RefuseUnknown(std::initializer_list<std::string_view> known) const {
  for (const auto& [name, value] : parameters_) {
    if (std::ranges::find(known, std::string_view(name)) != known.end()) continue;
    return Problem(problems::kUnknownParameter,
                   "unknown parameter \"" + name.substr(0, kNameShownMax) + '"');
  }
  return std::nullopt;
}

}  // namespace fanfold::http
