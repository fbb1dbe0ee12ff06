#include "common/http/service_routes.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/json_text.h"
#include "common/base/logging.h"
#include "common/base/process_metrics.h"
#include "common/http/problem.h"
#include "common/http/refusals.h"

namespace fanfold::http {
namespace {

// A route without parameters whose answer is worked out at once.
void AddPlain(Router& router, std::string_view path, std::function<Response()> answer) {
  router.Add(Method::kGet, path,
             [answer = std::move(answer)](const Routed& routed, const Reply& reply) {
               if (auto refused = routed.query.RefuseUnknown({})) return reply(std::move(*refused));
               reply(answer());
             });
}

Response Json(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

Response Text(std::string_view content_type, std::string body) {
  Response response = Json(std::move(body));
  response.content_type = content_type;
  return response;
}

bool IsOperators(const Request& request) {
  constexpr Scope kOperate = *Scope::Find("operate");
  return request.principal && request.principal->scopes.Has(kOperate);
}

std::string_view NameOf(const Request& request) {
  return request.principal ? std::string_view(request.principal->name) : "nobody";
}

Response LevelNow() {
  return Json(R"({"level":")" + std::string(NameOf(kLogLevels, LowestLogged())) + R"("})");
}

std::optional<LogLevel> LevelIn(std::string_view body) {
  if (!CheckJson(body, {.depth_max = 1, .values_max = 2})) return std::nullopt;
  const auto json = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 1 || !json.contains("level")) return std::nullopt;
  const auto& level = json["level"];
  return level.is_string() ? ValueOf(kLogLevels, level.get<std::string>()) : std::nullopt;
}

}  // namespace

void AddHealthRoutes(Router& router, std::function<Status()> ready, std::string openapi) {
  AddPlain(router, "/healthz", [] { return Json(R"({"status":"ok"})"); });
  router.Add(Method::kGet, "/readyz",
             [ready = std::move(ready)](const Routed& routed, const Reply& reply) {
               if (auto refused = routed.query.RefuseUnknown({})) return reply(std::move(*refused));
               const Status status = ready();
               if (status) return reply(Json(R"({"status":"ready"})"));
               reply(Problem(problems::kNotReady, IsOperators(routed.request)
                                                      ? status.error().message
                                                      : "its operators are told why"));
             });
  if (openapi.empty()) return;
  AddPlain(router, "/openapi.yaml",
           [openapi = std::move(openapi)] { return Text("application/yaml", openapi); });
}

void AddRootPage(Router& router) {
  constexpr std::pair<std::string_view, std::string_view> kLinks[] = {
      {"/console/", "the console"},
      {"/openapi.yaml", "the API: what this port answers"},
      {"/metrics", "metrics"}};
  std::string page =
      "<!doctype html><meta charset=utf-8><title>Fanfold</title><h1>Fanfold</h1><ul>";
  const std::vector<std::string> routes = router.Routes();
  for (const auto& [path, what] : kLinks) {
    if (std::ranges::count(routes, "GET " + std::string(path)) == 0) continue;
    page += fmt::format("<li><a href=\"{}\">{}</a>", path, what);
  }
  AddPlain(router, "/",
           [page = page + "</ul>\n"] { return Text("text/html; charset=utf-8", page); });
}

void AddOperatorRoutes(Router& router, Metrics& metrics, Workers& workers) {
  router.Add(Method::kGet, "/metrics",
             [&metrics, &workers, process = std::make_shared<ProcessMetrics>(metrics)](
                 const Routed& routed, const Reply& reply) {
               if (auto refused = routed.query.RefuseUnknown({})) return reply(std::move(*refused));
               Workers::Job job = [&metrics, process, reply] {
                 process->Update();
                 reply(Text("text/plain; version=0.0.4; charset=utf-8", metrics.Text()));
               };
               if (!workers.Submit(job)) {
                 reply(Problem(problems::kOverloaded, "too much is in work"));
               }
             });
  AddPlain(router, "/log_level", [] { return LevelNow(); });
  router.Add(Method::kPut, "/log_level", [](const Routed& routed, const Reply& reply) {
    if (auto refused = routed.query.RefuseUnknown({})) return reply(std::move(*refused));
    const std::optional<LogLevel> level = LevelIn(routed.request.body);
    if (!level) {
      return reply(Problem(problems::kInvalidArgument,
                           R"(the body must be {"level":"debug"}, or info, warning, error)"));
    }
    const auto [from, peer] = WhereFrom(routed.request);
    SetLogLevel(*level, "told to log from another level on",
                {{"log_level", NameOf(kLogLevels, *level)},
                 {"who", NameOf(routed.request)},
                 {"from", from},
                 {"peer", peer}});
    reply(LevelNow());
  });
}

}  // namespace fanfold::http
