// Finds the handler that answers a request. Pure; knows nothing of sockets.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/http/http_server.h"
#include "common/http/query.h"
#include "common/http/route_access.h"
#include "common/http/route_rules.h"
#include "common/http/workers.h"

namespace fanfold::http {

struct Routed {
  const Request& request;
  std::vector<std::string> path;  // what stood at the {…} of the pattern, decoded, in order
  Query query;
};

class Router {
 public:
  using RouteHandler = std::function<void(const Routed&, Reply)>;
  using Refused = std::function<void(int status)>;

  // The bound on bodies sent to routes that read none.
  static constexpr std::size_t kBodyBytesMax = 4096;

  // Without rules: every route is anybody's. A program serves none of these.
  Router() = default;
  // Every route has its rule, or is not added: the process stops.
  explicit Router(std::span<const RouteRule> rules) : rules_(rules) {}

  // `pattern` is segments, literal or {name}: "/v1/users/{user}/following/{object}".
  // GET answers HEAD too. A body above `body_bytes_max` is 413, before it is
  // read where its head says so, as is what the head is refused for otherwise. `refused` is told of
  // requests that what stands before the router has refused.
  void Add(Method method, std::string_view pattern, RouteHandler handler,
           std::size_t body_bytes_max = kBodyBytesMax, Refused refused = {});

  // Tells `detail` where no route has the path, and the path has this segment. Both are literals.
  void Hint(std::string_view segment, std::string_view detail) {
    hints_.emplace_back(segment, detail);
  }

  // The pattern with the most literals that matches the path answers for it alone, as OpenAPI has
  // it: 404 without one, 405 with Allow for a method that it does not have. Without a good token
  // only public routes are told apart: everything else is 401.
  void operator()(const Request& request, Reply reply) const;
  // Requests with more than kAtOnceBytesMax are handled by `workers`, which outlive every answer;
  // their connection's next one waits until they are. Where those have too much to do: 503.
  void UseForLargeBodies(Workers* workers) { workers_ = workers; }
  static constexpr std::size_t kAtOnceBytesMax = std::size_t{16} << 10;
  // Tells the request's route, where it has one, how it was refused before it came here.
  void TellRefused(const Request& request, int status) const;

  // "GET /v1/…" of every route, sorted; a test compares them with openapi.yaml.
  [[nodiscard]] std::vector<std::string> Routes() const;
  [[nodiscard]] bool has_rules() const noexcept { return !rules_.empty(); }

 private:
  struct Route {
    Method method;
    std::vector<std::string> segments;
    RouteHandler handler;
    std::size_t body_bytes_max;
    Refused refused;
    RouteAccess access;
  };

  // Null: none. `allowed`: the methods that the path has otherwise.
  [[nodiscard]] const Route* Find(Method method, const std::vector<std::string>& path,
                                  std::vector<Method>& allowed) const;
  [[nodiscard]] std::string_view WhyNoPath(const std::vector<std::string>& path) const;
  [[nodiscard]] RouteAccess AccessOf(Method method, std::string_view pattern) const;
  void Call(const Route& route, const Request& request, std::vector<std::string> path,
            Reply reply) const;
  void CallWithBody(const Route& route, const Request& whole, std::vector<std::string> path,
                    Query query, Reply reply) const;

  std::span<const RouteRule> rules_;
  std::vector<Route> routes_;
  std::vector<std::pair<std::string_view, std::string_view>> hints_;
  Workers* workers_ = nullptr;
};

}  // namespace fanfold::http
