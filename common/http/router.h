// Which handler answers which request. Pure; knows nothing of sockets.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/http/http_server.h"

namespace fanfold::http {

// Decodes %XX (and '+' as a space only in queries). Nothing on a broken escape.
[[nodiscard]] std::optional<std::string> PercentDecoded(std::string_view text, bool is_query);

// The parameters of a query, decoded, in their order. One that is given again is a list, joined
// with commas, as it is with headers: no value that is not a list holds a comma.
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

struct Routed {
  const Request& request;
  std::vector<std::string> path;  // what stood at the {…} of the pattern, decoded, in order
  Query query;
};

class Router {
 public:
  using RouteHandler = std::function<void(const Routed&, Reply)>;

  // Of routes that read no body.
  static constexpr std::size_t kBodyBytesMax = 4096;

  // `pattern` is segments, literal or {name}: "/v1/users/{user}/following/{object}".
  // GET answers HEAD too. A body above `body_bytes_max` is 413.
  void Add(Method method, std::string_view pattern, RouteHandler handler,
           std::size_t body_bytes_max = kBodyBytesMax);

  // The pattern with the most literals that matches the path answers for it alone, as OpenAPI has
  // it: 404 without one, 405 with Allow for a method that it does not have.
  void operator()(const Request& request, Reply reply) const;

  // "GET /v1/…" of every route, sorted; a test compares them with openapi.yaml.
  [[nodiscard]] std::vector<std::string> Routes() const;

 private:
  struct Route {
    Method method;
    std::vector<std::string> segments;
    RouteHandler handler;
    std::size_t body_bytes_max;
  };
  std::vector<Route> routes_;
};

}  // namespace fanfold::http
