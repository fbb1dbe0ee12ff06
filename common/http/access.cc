#include "common/http/access.h"

#include <memory>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/http/authentication.h"
#include "common/http/compression.h"
#include "common/http/query.h"
#include "common/http/request_trace.h"

namespace fanfold::http {
namespace {

// By the path as the router will read it; one that it cannot read is below.
bool IsBelow(std::string_view path, std::string_view below) {
  const auto decoded = PercentDecoded(path, false);
  return !decoded || decoded->starts_with(below);
}

Wrapper AnyoneBut(std::string_view below, Wrapper asked) {
  return [below, asked = std::move(asked)](const Handler& handler) -> Handler {
    return [below, anyone = Anyone()(handler), known = asked(handler)](const Request& request,
                                                                       Reply reply) {
      (IsBelow(request.path, below) ? known : anyone)(request, std::move(reply));
    };
  };
}

Wrapper WhoAsks(const Guards& guards, const LimitedTold& told) {
  if (guards.verifier == nullptr) return Anyone();
  Wrapper asked = Authenticated(*guards.verifier, guards.limits, told);
  return guards.asked_below.empty() ? asked : AnyoneBut(guards.asked_below, std::move(asked));
}

}  // namespace

Handler Guarded(AccessRules rules, const Guards& guards, Router routes) {
  FANFOLD_CHECK(routes.has_rules(), "nobody has said who may use these routes");
  routes.UseForLargeBodies(guards.workers);
  const auto router = std::make_shared<const Router>(std::move(routes));
  const LimitedTold told = [router](const Request& request, int status) {
    router->TellRefused(request, status);
  };
  std::vector<Wrapper> wrappers = {Gzipped(guards.workers), ToldBack(),
                                   OwnHostsAndPages(std::move(rules))};
  wrappers.push_back(WhoAsks(guards, told));
  if (guards.limits != nullptr) wrappers.push_back(Limited(*guards.limits, told));
  wrappers.push_back(JsonBodies());
  return Wrapped(wrappers, [router](const Request& request, Reply reply) {
    (*router)(request, std::move(reply));
  });
}

}  // namespace fanfold::http
