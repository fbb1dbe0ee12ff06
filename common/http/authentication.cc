#include "common/http/authentication.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/http/kept_request.h"
#include "common/http/page_access.h"
#include "common/http/problem.h"
#include "common/http/refusals.h"
#include "common/http/route_access.h"

namespace fanfold::http {
namespace {

constexpr std::string_view kScheme = "Bearer ";

class Authentication {
 public:
  Authentication(Verifier& verifier, Limits* limits, LimitedTold told, Handler handler)
      : verifier_(verifier),
        limits_(limits),
        told_(std::move(told)),
        handler_(std::make_shared<const Handler>(std::move(handler))) {}

  void operator()(Request request, Reply reply) const {
    request.principal = nullptr;
    const auto authorization = request.HeaderValue("Authorization");
    if (!authorization) return (*handler_)(request, std::move(reply));
    const auto token = BearerTokenIn(*authorization);
    if (!token) return Refuse(request, "Authorization must be Bearer TOKEN", reply);
    // Several headers are one, joined with commas, which no token has.
    if (token->contains(',')) {
      return Refuse(request, "more than one Authorization header, or a comma in it", reply);
    }
    Result<PrincipalPtr> known = verifier_.Now(*token);
    if (!known) return Refuse(request, known.error().message, reply);
    if (*known == nullptr) return Wait(*token, request, reply);
    request.principal = *std::move(known);
    (*handler_)(request, std::move(reply));
  }

 private:
  // A probe is answered whatever it shows: as nobody's, where that is no good token.
  void Refuse(const Request& request, std::string_view why, const Reply& reply) const {
    if (IsProbe(request.path)) return (*handler_)(request, reply);
    if (RefuseIfTooMany(request, reply)) return;
    reply(Noted(request, Unauthenticated(why)));
  }

  bool RefuseIfTooMany(const Request& request, const Reply& reply) const {
    auto too_many = limits_ == nullptr ? std::nullopt : limits_->RefuseStranger(request);
    if (!too_many) return false;
    if (told_) told_(request, too_many->status);
    reply(*std::move(too_many));
    return true;
  }

  // Meanwhile nothing of the connection overtakes it, and it counts as one that is not good.
  void Wait(std::string_view token, const Request& request, const Reply& reply) const {
    const bool is_probe = IsProbe(request.path);
    if (is_probe && limits_ != nullptr && !limits_->TakeStrangersPlace(request)) {
      return (*handler_)(request, reply);
    }
    if (!is_probe && RefuseIfTooMany(request, reply)) return;
    auto kept = std::make_shared<const KeptRequest>(request);
    const auto judged = [kept, reply, is_probe, handler = handler_, limits = limits_,
                         &verifier = verifier_](const Result<PrincipalPtr>& principal) {
      if (principal && limits != nullptr) limits->GiveBack(kept->Of(nullptr));
      kept->caller()->GoOn([kept, reply, handler, principal, is_probe, &verifier] {
        const bool is_good = principal && !verifier.IsOver(**principal);
        if (is_good) return CallOrFail(*handler, kept->Of(*principal), reply);
        if (is_probe) return CallOrFail(*handler, kept->Of(nullptr), reply);
        reply(Noted(kept->Of(nullptr), Unauthenticated(principal ? "the token has expired"
                                                                 : principal.error().message)));
      });
    };
    kept->caller()->Hold();
    const Status waits = verifier_.Verify(token, kept->bytes(), judged);
    if (waits) return;
    if (limits_ != nullptr) limits_->GiveBack(request);
    kept->caller()->GoOn([] {});
    if (is_probe) return (*handler_)(request, reply);
    reply(Problem(problems::kOverloaded, waits.error().message));
  }

  Verifier& verifier_;
  Limits* const limits_;
  const LimitedTold told_;
  std::shared_ptr<const Handler> handler_;
};

}  // namespace

std::optional<std::string_view> BearerTokenIn(std::string_view authorization) {
  if (!EqualsIgnoringCase(authorization.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  authorization.remove_prefix(kScheme.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  return authorization;
}

Wrapper Anyone() {
  static const PrincipalPtr anyone =
      std::make_shared<const Principal>(Principal{.name = "anyone", .scopes = Scopes::All()});
  return [](Handler handler) {
    return [handler = std::move(handler)](Request request, Reply reply) {
      request.principal = anyone;
      handler(request, std::move(reply));
    };
  };
}

Wrapper Authenticated(Verifier& verifier, Limits* limits, LimitedTold told) {
  return [&verifier, limits, told = std::move(told)](Handler handler) {
    return Authentication(verifier, limits, told, std::move(handler));
  };
}

}  // namespace fanfold::http
