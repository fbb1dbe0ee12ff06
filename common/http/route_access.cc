#include "common/http/route_access.h"

#include <fmt/format.h>
#include <utility>

#include "common/base/check.h"
#include "common/base/clock.h"
#include "common/http/problem.h"

namespace fanfold::http {
namespace {

constexpr std::string_view kChallenge = "Bearer realm=\"fanfold\"";

Response WithoutScope(std::string_view scope) {
  Response response = Forbidden(fmt::format("the token is not for {}", scope));
  response.headers.emplace_back(
      "WWW-Authenticate",
      fmt::format(R"({}, error="insufficient_scope", scope="{}")", kChallenge, scope));
  return response;
}

bool IsHis(const std::optional<UserId>& user, std::string_view text) {
  return ParseUserId(text) == user;
}

// The client takes what it has for a part, as of any stream that is cut. A part that is owed is the
// source's to give.
BodySource WhileItLasts(BodySource source, PrincipalPtr who) {
  return [source = std::move(source), who = std::move(who)](const PartSink& sink) {
    if (!IsOver(who)) source(sink);
  };
}

}  // namespace

Response Unauthenticated(std::string_view why) {
  Response response = Problem(problems::kUnauthenticated,
                              why.empty() ? "there is no token: Authorization: Bearer TOKEN" : why);
  std::string challenge(kChallenge);
  if (!why.empty())
    challenge += fmt::format(R"(, error="invalid_token", error_description="{}")", why);
  response.headers.emplace_back("WWW-Authenticate", std::move(challenge));
  return response;
}

bool IsOver(const PrincipalPtr& who) { return who && who->IsOver(TickClock().NowMs()); }

Response Forbidden(std::string_view why) { return Problem(problems::kForbidden, why); }

RouteAccess::RouteAccess(const RouteRule& rule)
    : rule_(rule),
      scope_(Scope::Find(rule.scope)),
      or_scope_(Scope::Find(rule.or_scope)),
      reads_(rule.streams || rule.scope.ends_with(":read")) {
  FANFOLD_CHECK(rule.scope.empty() || scope_, rule.scope);
  FANFOLD_CHECK(rule.or_scope.empty() || (scope_ && or_scope_), rule.or_scope);
  for (const ParameterRule& parameter : rule.parameters) {
    const bool is_scope = Scope::Find(parameter.scope).has_value();
    FANFOLD_CHECK(is_scope == (parameter.is == ParameterIs::kForScope), parameter.scope);
  }
}

std::optional<Response> RouteAccess::RefuseWho(const PrincipalPtr& who) const {
  if (rule_.is_public) return std::nullopt;
  if (!who) return Unauthenticated();
  if (!scope_ || who->scopes.Has(*scope_)) return std::nullopt;
  if (or_scope_ && who->scopes.Has(*or_scope_)) return std::nullopt;
  return WithoutScope(scope_->name());
}

std::optional<Response> RouteAccess::RefuseWhat(const PrincipalPtr& who,
                                                std::span<const std::string> path,
                                                const Query& query) const {
  if (rule_.is_public) return std::nullopt;
  if (who->user && rule_.whose == WhoseRequest::kOfPath && !IsHis(who->user, path[0])) {
    return Forbidden("the token is another user's");
  }
  for (const ParameterRule& parameter : rule_.parameters) {
    const std::optional<std::string_view> value = query.Get(parameter.name);
    if (!value) continue;
    switch (parameter.is) {
      case ParameterIs::kUser:
        if (!who->user || IsHis(who->user, *value)) break;
        return Forbidden(fmt::format("the token is another user's than {}", parameter.name));
      case ParameterIs::kForServices:
        if (!who->user) break;
        return Forbidden(fmt::format("{} is not for tokens of users", parameter.name));
      case ParameterIs::kForScope:
        if (who->scopes.Has(*Scope::Find(parameter.scope))) break;
        return WithoutScope(parameter.scope);
    }
  }
  return std::nullopt;
}

void RouteAccess::Limit(const Reply& reply, const PrincipalPtr& who) const {
  if (!reads_ || !who || !who->MayEnd()) return;
  reply.Pass([who](Response& response) {
    if (IsOver(who)) {
      response = Unauthenticated("the token is good no longer");
    } else if (response.stream) {
      response.stream = WhileItLasts(std::move(response.stream), who);
    }
  });
}

}  // namespace fanfold::http
