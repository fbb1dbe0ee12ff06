#include "reader/routes.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "common/http/metered_routes.h"
#include "reader/query_parser.h"

namespace fanfold::reader {
namespace {

class RouteAdder {
 public:
  RouteAdder(http::Router& router, ReadExecutor& executor, Metrics& metrics,
             std::span<const std::unique_ptr<Tenant>> tenants)
      : routes_(router, metrics,
                http::RouteSeries{.requests = "fanfold_reader_requests_total",
                                  .seconds = "fanfold_reader_request_seconds"}),
        executor_(executor) {
    for (const auto& tenant : tenants) expansions_.merge(tenant->expansions());
  }

  template <class Parse>
  void Add(http::Method method, std::string_view pattern, const Parse& parse,
           std::size_t body_bytes_max = http::Router::kBodyBytesMax) {
    routes_.Add(
        method, pattern,
        [parse, &executor = executor_](const http::Routed& routed, http::Reply reply) {
          ParsedRead parsed = parse(routed);
          if (!parsed) return reply(std::move(parsed.error()));
          parsed->is_head = routed.request.method == http::Method::kHead;
          executor.Execute(*std::move(parsed), std::move(reply), routed.request.caller);
        },
        body_bytes_max);
  }

  // An answer whose users may carry more.
  template <class Parse>
  void AddList(std::string_view pattern, const Parse& parse) {
    Add(http::Method::kGet, pattern, [parse, expansions = expansions_](const http::Routed& routed) {
      return parse(routed, expansions);
    });
  }
  void AddListOf(std::string_view pattern, ListKind list) {
    AddList(pattern, [list](const http::Routed& routed, const Expansions& expansions) {
      return ParseList(list, routed, expansions);
    });
  }

 private:
  http::MeteredRoutes routes_;
  ReadExecutor& executor_;
  Expansions expansions_;
};

}  // namespace

void AddReaderRoutes(http::Router& router, ReadExecutor& executor, Metrics& metrics,
                     std::span<const std::unique_ptr<Tenant>> tenants) {
  using http::Method;
  RouteAdder adder(router, executor, metrics, tenants);
  adder.AddListOf("/v1/users/{id}/following", ListKind::kFollowing);
  adder.AddListOf("/v1/users/{id}/fans", ListKind::kFans);
  adder.AddListOf("/v1/users/{id}/friends", ListKind::kFriends);
  adder.AddList("/v1/users/{id}/following/common", ParseCommon);
  adder.AddList("/v1/users/{id}/fans/known", ParseKnown);
  adder.Add(Method::kGet, "/v1/users/{id}/counts", ParseCounts);
  adder.Add(Method::kGet, "/v1/counts", ParseCountsOfMany);
  adder.Add(Method::kGet, "/v1/users/{subject}/following/{object}", ParseRelation);
  adder.Add(Method::kGet, "/v1/users/{id}/relations", ParseRelations);
  adder.Add(Method::kPost, "/v1/users/{id}/relations", ParseRelationsBody, kRelationsBytesMax);
  adder.AddList("/v1/users/{id}/suggestions", ParseSuggestions);
  adder.Add(Method::kGet, "/v1/users/{id}/fans/export", ParseFansExport);
  adder.Add(Method::kGet, "/v1/projections", ParseProjections);
  router.Hint("followers", "followers are fans here: /v1/users/{id}/fans");
  for (const auto& tenant : tenants) {
    for (const TenantRoute& route : tenant->routes()) {
      adder.AddList(route.pattern, route.parse);
    }
  }
}

}  // namespace fanfold::reader
