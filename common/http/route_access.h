// Whether a request may reach its route. Pure, but for the clock that ends answers.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/access/principal.h"
#include "common/http/http_server.h"
#include "common/http/query.h"
#include "common/http/route_rules.h"

namespace fanfold::http {

// 401 with WWW-Authenticate. `why`: what is wrong with the token; empty: there is none.
[[nodiscard]] Response Unauthenticated(std::string_view why = {});
// Has their token ended meanwhile? Nobody's has.
[[nodiscard]] bool IsOver(const PrincipalPtr& who);
// 403. `why` is a clause, "… is …", that says what the caller may not do.
[[nodiscard]] Response Forbidden(std::string_view why);

// Who may use one route.
class RouteAccess {
 public:
  // Anybody's.
  RouteAccess() = default;
  // Requires: each scope that the rule names is one.
  explicit RouteAccess(const RouteRule& rule);

  // The refusal; nothing: the caller may. Judges who asks: 401, or 403 without the scope;
  [[nodiscard]] std::optional<Response> RefuseWho(const PrincipalPtr& who) const;
  // judges what is asked for: 403. `path`: what stood at the places of the pattern.
  [[nodiscard]] std::optional<Response> RefuseWhat(const PrincipalPtr& who,
                                                   std::span<const std::string> path,
                                                   const Query& query) const;
  // An answer that lasts ends when `who` is over, and a read that has waited until then is 401.
  // A write that was done stays done, and is answered.
  void Limit(const Reply& reply, const PrincipalPtr& who) const;

 private:
  RouteRule rule_ = {.route = {}, .is_public = true};
  std::optional<Scope> scope_;
  std::optional<Scope> or_scope_;
  bool reads_ = false;
};

}  // namespace fanfold::http
