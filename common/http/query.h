// The query of a path, behind its '?'. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/http/http_server.h"

namespace fanfold::http {

// Decodes %XX (and '+' as a space only in queries). Nothing on a broken escape.
[[nodiscard]] std::optional<std::string> PercentDecoded(std::string_view text, bool is_query);

// The parameters of a query, decoded, in their order. A repeated parameter is a list, joined with
// commas, as with headers: no value that is not a list holds a comma.
class Query {
 public:
  // Errors (as an answer): broken escape; more than kParametersMax.
  [[nodiscard]] static std::expected<Query, Response> Parse(std::string_view query);

  [[nodiscard]] std::optional<std::string_view> Get(std::string_view name) const;
  // An answer 400 unknown_parameter naming the first that is not among `known`; else nothing.
  [[nodiscard]] std::optional<Response> RefuseUnknown(
      std::initializer_list<std::string_view> known) const;

  static constexpr std::size_t kParametersMax = 32;

 private:
  [[nodiscard]] std::string* Find(std::string_view name);

  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace fanfold::http
