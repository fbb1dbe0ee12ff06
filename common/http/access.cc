#include "common/http/access.h"

#include <utility>

#include "common/base/check.h"
#include "common/http/authentication.h"

namespace fanfold::http {

Handler Guarded(AccessRules rules, Verifier* verifier, Router routes) {
  FANFOLD_CHECK(routes.has_rules(), "nobody has said who may use these routes");
  Wrapper who_asks = verifier == nullptr ? Anyone() : Authenticated(*verifier);
  return Wrapped({OwnHostsAndPages(std::move(rules)), std::move(who_asks)}, std::move(routes));
}

}  // namespace fanfold::http
