#include "common/http/access.h"

#include <memory>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/http/authentication.h"

namespace fanfold::http {

Handler Guarded(AccessRules rules, const Guards& guards, Router routes) {
  FANFOLD_CHECK(routes.has_rules(), "nobody has said who may use these routes");
  const auto router = std::make_shared<const Router>(std::move(routes));
  const LimitedTold told = [router](const Request& request, int status) {
    router->TellRefused(request, status);
  };
  std::vector<Wrapper> wrappers = {OwnHostsAndPages(std::move(rules))};
  wrappers.push_back(
      guards.verifier == nullptr ? Anyone() : Authenticated(*guards.verifier, guards.limits, told));
  if (guards.limits != nullptr) wrappers.push_back(Limited(*guards.limits, told));
  wrappers.push_back(JsonBodies());
  return Wrapped(wrappers, [router](const Request& request, Reply reply) {
    (*router)(request, std::move(reply));
  });
}

}  // namespace fanfold::http
