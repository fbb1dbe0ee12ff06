#include "cli/console/console_service.h"

#include <string>
#include <string_view>
#include <utility>

#include "cli/console/page_files.h"
#include "cli/console/verb_request.h"
#include "common/http/authentication.h"
#include "common/http/page_access.h"
#include "common/http/problem.h"
#include "common/http/refusals.h"
#include "common/http/request_trace.h"

namespace fanfold::console {
namespace {

using http::Method;
using http::Problem;
using http::Reply;
using http::Routed;
namespace problems = http::problems;

constexpr int kMoved = 308;
constexpr std::string_view kOf = "of";

void AnswerFile(std::string_view name, const Routed& routed, const Reply& reply) {
  if (auto refused = routed.query.RefuseUnknown({})) return reply(std::move(*refused));
  auto file = PageFile(name);
  reply(file ? *std::move(file) : Problem(problems::kNotFound, "the page has no such file"));
}

// Origins that are named may use the API; verbs are for the console's own page.
bool IsOfAnotherPage(const http::Request& request) {
  const auto origin = request.HeaderValue("Origin");
  if (!origin) return false;
  return !http::IsOriginOf(request.HeaderValue("Host").value_or(""), *origin);
}

VerbCaller CallerOf(const http::Request& request, const std::string& of_console) {
  const auto [from, peer] = http::WhereFrom(request);
  const std::string name = request.principal ? request.principal->name : "nobody";
  return {{name + of_console, from}, request.caller};
}

RelayedRead ReadOf(std::string_view target, const http::Request& request) {
  const auto shown = request.HeaderValue("Authorization");
  const auto token = http::BearerTokenIn(shown.value_or(""));
  RelayedRead read{std::string(target), std::string(token.value_or("")), {}, request.caller};
  http::AppendHeaders(http::TraceOf(request), read.trace);
  return read;
}

}  // namespace

ConsoleService::ConsoleService(RunCommand run, ReaderAccess reader)
    : of_console_(" through the console of " + CallingUser()),
      verbs_(std::move(run)),
      relay_(std::move(reader)) {}

void ConsoleService::AddRoutes(http::Router& router) {
  router.Add(Method::kGet, "/console", [](const Routed&, const Reply& reply) {
    http::Response response;
    response.status = kMoved;
    response.headers = {{"Location", "/console/"}};
    reply(std::move(response));
  });
  router.Add(Method::kGet, "/console/", [](const Routed& routed, const Reply& reply) {
    AnswerFile("index.html", routed, reply);
  });
  router.Add(Method::kGet, "/console/{file}", [](const Routed& routed, const Reply& reply) {
    AnswerFile(routed.path.front(), routed, reply);
  });
  router.Add(
      Method::kPost, "/console/verbs",
      [this](const Routed& routed, const Reply& reply) { RunVerb(routed, reply); },
      kVerbBodyBytesMax);
  router.Add(Method::kGet, "/console/read",
             [this](const Routed& routed, const Reply& reply) { Read(routed, reply); });
}

void ConsoleService::RunVerb(const Routed& routed, const Reply& reply) {
  if (auto refused = routed.query.RefuseUnknown({})) return reply(std::move(*refused));
  if (IsOfAnotherPage(routed.request)) {
    return reply(Problem(problems::kOriginRefused, "verbs are for the console's own page"));
  }
  VerbCaller caller = CallerOf(routed.request, of_console_);
  auto request = ParseVerbRequest(routed.request.body, caller.audit.who);
  if (!request) {
    return reply(
        Problem(request.error().is_forbidden ? problems::kForbidden : problems::kInvalidArgument,
                request.error().why));
  }
  verbs_.Begin(*std::move(request), std::move(caller), reply);
}

void ConsoleService::Read(const Routed& routed, const Reply& reply) {
  if (auto refused = routed.query.RefuseUnknown({kOf})) return reply(std::move(*refused));
  const auto target = routed.query.Get(kOf);
  if (!target || !IsRelayed(*target)) {
    return reply(Problem(problems::kInvalidArgument,
                         "`of` must be a read of the API that ends, /v1/users/1/counts say"));
  }
  relay_.Get(ReadOf(*target, routed.request), reply);
}

}  // namespace fanfold::console
