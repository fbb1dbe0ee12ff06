#include "common/http/refusals.h"

#include <fmt/format.h>
#include <string>

#include "common/base/cause_filter.h"
#include "common/base/clock.h"
#include "common/base/logging.h"

namespace fanfold::http {
namespace {

constexpr std::size_t kPathShownMax = 200;

}  // namespace

Whence WhereFrom(const Request& request) {
  if (!request.caller) return {"nowhere", "nowhere"};
  const auto noted = request.HeaderValue("X-Forwarded-For").value_or("");
  return {request.caller->ClientOf(noted).text(), request.caller->peer().text()};
}

Response Noted(const Request& request, Response refused) {
  static CauseFilter refusals;
  const std::string who = request.principal ? request.principal->name : "nobody";
  const auto [from, peer] = WhereFrom(request);
  const std::int64_t times =
      refusals.Tell(fmt::format("{} {} {}", refused.status, who, from), SystemClock().SteadyMs());
  if (times == 0) return refused;
  LogWarning("refused", {{"status", refused.status},
                         {"who", who},
                         {"from", from},
                         {"peer", peer},
                         {"what", fmt::format("{} {}", ToString(request.method),
                                              request.path.substr(0, kPathShownMax))},
                         {"times", times}});
  return refused;
}

}  // namespace fanfold::http
