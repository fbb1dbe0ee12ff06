#include "common/http/access.h"

#include <utility>

namespace fanfold::http {

Wrapper Anonymous() {
  return [](Handler handler) {
    return [handler = std::move(handler)](Request request, Reply reply) {
      request.principal = {};
      handler(request, std::move(reply));
    };
  };
}

Handler Guarded(AccessRules rules, Handler routes) {
  return Wrapped({OwnHostsAndPages(std::move(rules)), Anonymous()}, std::move(routes));
}

}  // namespace fanfold::http
