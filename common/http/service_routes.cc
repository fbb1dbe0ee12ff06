#include "common/http/service_routes.h"

#include <utility>

#include "common/http/problem.h"

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

}  // namespace

void AddServiceRoutes(Router& router, const Metrics& metrics, std::function<Status()> ready,
                      std::string openapi) {
  AddPlain(router, "/healthz", [] { return Json(R"({"status":"ok"})"); });
  AddPlain(router, "/readyz", [ready = std::move(ready)] {
    const Status status = ready();
    if (status) return Json(R"({"status":"ready"})");
    return Problem(problems::kNotReady, status.error().message);
  });
  AddPlain(router, "/metrics",
           [&metrics] { return Text("text/plain; version=0.0.4; charset=utf-8", metrics.Text()); });
  if (openapi.empty()) return;
  AddPlain(router, "/openapi.yaml",
           [openapi = std::move(openapi)] { return Text("application/yaml", openapi); });
}

}  // namespace fanfold::http
