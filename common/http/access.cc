#include "common/http/access.h"

#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/http/authentication.h"

namespace fanfold::http {

Handler Guarded(AccessRules rules, const Guards& guards, Router routes) {
  FANFOLD_CHECK(routes.has_rules(), "nobody has said who may use these routes");
  std::vector<Wrapper> wrappers = {OwnHostsAndPages(std::move(rules))};
  wrappers.push_back(guards.verifier == nullptr ? Anyone()
                                                : Authenticated(*guards.verifier, guards.limits));
  if (guards.limits != nullptr) wrappers.push_back(Limited(*guards.limits));
  return Wrapped(wrappers, std::move(routes));
}

}  // namespace fanfold::http
