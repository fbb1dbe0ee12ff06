#include "common/http/router.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/http/kept_request.h"
#include "common/http/problem.h"
#include "common/http/refusals.h"

namespace fanfold::http {
namespace {

constexpr std::size_t kSegmentsUsual = 8;

bool IsPlaceholder(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

// The segments after the leading slash, still encoded. Nothing when there is no leading slash.
std::optional<std::vector<std::string_view>> Segments(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string_view> segments;
  segments.reserve(kSegmentsUsual);
  for (std::size_t begin = 1;;) {
    const std::size_t end = path.find('/', begin);
    segments.push_back(path.substr(begin, end - begin));
    if (end == std::string_view::npos) return segments;
    begin = end + 1;
  }
}

// Nothing where an escape is broken.
std::optional<std::vector<std::string>> Decoded(std::string_view text) {
  std::vector<std::string> path;
  path.reserve(kSegmentsUsual);
  for (const std::string_view segment : Segments(text).value_or(std::vector<std::string_view>())) {
    auto decoded = PercentDecoded(segment, false);
    if (!decoded) return std::nullopt;
    path.push_back(std::move(*decoded));
  }
  return path;
}

bool Matches(const std::vector<std::string>& pattern, const std::vector<std::string>& path) {
  return std::ranges::equal(pattern, path, [](std::string_view want, std::string_view got) {
    return IsPlaceholder(want) ? !got.empty() : want == got;
  });
}

// Do both match the same paths? Requires: some path matches both.
bool IsSameResource(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::equal(a, b, {}, IsPlaceholder, IsPlaceholder);
}

// What stands at the placeholders. Requires: Matches(pattern, path).
std::vector<std::string> Captured(const std::vector<std::string>& pattern,
                                  std::vector<std::string>& path) {
  std::vector<std::string> captured;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (IsPlaceholder(pattern[i])) captured.push_back(std::move(path[i]));
  }
  return captured;
}

bool Answers(Method route, Method request) {
  return route == request || (route == Method::kGet && request == Method::kHead);
}

std::string AllowOf(const std::vector<Method>& methods) {
  std::string allow;
  for (const Method method : methods) {
    if (!allow.empty()) allow += ", ";
    allow += ToString(method);
    if (method == Method::kGet) allow += ", HEAD";
  }
  return allow;
}

}  // namespace

std::string_view ToString(Method method) noexcept {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kHead:
      return "HEAD";
    case Method::kPut:
      return "PUT";
    case Method::kPost:
      return "POST";
    case Method::kDelete:
      return "DELETE";
    case Method::kOptions:
      return "OPTIONS";
    case Method::kOther:
      return "OTHER";
  }
  return "OTHER";
}

void Router::Add(Method method, std::string_view pattern, RouteHandler handler,
                 std::size_t body_bytes_max, Refused refused) {
  const auto segments = Segments(pattern);
  FANFOLD_CHECK(segments.has_value(), pattern);
  Route route{method,
              {segments->begin(), segments->end()},
              std::move(handler),
              body_bytes_max,
              std::move(refused),
              AccessOf(method, pattern)};
  // More literals stand first, so that /fans/export is found before /fans/{fan}.
  const auto placeholders = [](const Route& of) {
    return std::ranges::count_if(of.segments, IsPlaceholder);
  };
  const auto place = std::ranges::upper_bound(routes_, placeholders(route), {}, placeholders);
  routes_.insert(place, std::move(route));
}

RouteAccess Router::AccessOf(Method method, std::string_view pattern) const {
  if (!has_rules()) return {};
  const std::string name = std::string(ToString(method)) + ' ' + std::string(pattern);
  const auto rule = std::ranges::find(rules_, name, &RouteRule::route);
  FANFOLD_CHECK(rule != rules_.end(), "openapi.yaml does not say who may use " + name);
  return RouteAccess(*rule);
}

const Router::Route* Router::Find(Method method, const std::vector<std::string>& path,
                                  std::vector<Method>& allowed) const {
  const Route* resource = nullptr;
  for (const Route& route : routes_) {
    if (!Matches(route.segments, path)) continue;
    if (resource == nullptr) resource = &route;
    if (!IsSameResource(resource->segments, route.segments)) continue;
    if (Answers(route.method, method)) return &route;
    allowed.push_back(route.method);
  }
  return nullptr;
}

void Router::TellRefused(const Request& request, int status) const {
  std::vector<Method> allowed;
  const auto path = Decoded(request.path);
  const Route* const route = path ? Find(request.method, *path, allowed) : nullptr;
  if (route != nullptr && route->refused) route->refused(status);
}

std::string_view Router::WhyNoPath(const std::vector<std::string>& path) const {
  for (const auto& [segment, detail] : hints_) {
    if (std::ranges::count(path, segment) != 0) return detail;
  }
  return "no such path";
}

void Router::operator()(const Request& request, Reply reply) const {
  auto path = Decoded(request.path);
  std::vector<Method> allowed;
  const Route* const route = path ? Find(request.method, *path, allowed) : nullptr;
  if (route != nullptr) {
    return Call(*route, request, Captured(route->segments, *path), std::move(reply));
  }
  if (has_rules() && !request.principal) return reply(Noted(request, Unauthenticated()));
  if (!path) return reply(Problem(problems::kInvalidArgument, "the path has a broken %-escape"));
  if (allowed.empty()) return reply(Problem(problems::kNotFound, WhyNoPath(*path)));
  std::ranges::sort(allowed);
  allowed.erase(std::ranges::unique(allowed).begin(), allowed.end());
  Response response = Problem(problems::kMethodNotAllowed, "see the header Allow");
  response.headers.emplace_back("Allow", AllowOf(allowed));
  reply(std::move(response));
}

void Router::Call(const Route& route, const Request& request, std::vector<std::string> path,
                  Reply reply) const {
  if (auto refused = route.access.RefuseWho(request.principal)) {
    return reply(Noted(request, *std::move(refused)));
  }
  if (BodyBytesOf(request) > route.body_bytes_max) return reply(BodyTooLarge(route.body_bytes_max));
  auto query = Query::Parse(request.query);
  if (!query) return reply(std::move(query.error()));
  if (auto refused = route.access.RefuseWhat(request.principal, path, *query)) {
    return reply(Noted(request, *std::move(refused)));
  }
  route.access.Limit(reply, request.principal);
  if (request.intake == nullptr) {
    return route.handler(Routed{request, std::move(path), std::move(*query)}, std::move(reply));
  }
  WithBody(request, route.body_bytes_max, std::move(reply),
           [this, &route, path = std::move(path), query = *std::move(query)](const Request& whole,
                                                                             Reply to) {
             // Who it was is judged by the head, and the body may have come long after it.
             if (IsOver(whole.principal)) return to(Unauthenticated("the token is good no longer"));
             CallWithBody(route, whole, path, query, std::move(to));
           });
}

void Router::CallWithBody(const Route& route, const Request& whole, std::vector<std::string> path,
                          Query query, Reply reply) const {
  const auto call = [&route, path = std::move(path), query = std::move(query)](
                        const Request& request, const Reply& to) {
    route.handler(Routed{request, path, query}, to);
  };
  if (workers_ == nullptr || whole.body.size() <= kAtOnceBytesMax) return call(whole, reply);
  const auto kept = std::make_shared<const KeptRequest>(whole);
  kept->caller()->Hold();
  Workers::Job job = [call, kept, reply, who = whole.principal] {
    CallOrFail(call, kept->Of(who), reply);
    kept->caller()->GoOn([] {});
  };
  if (workers_->Submit(job)) return;
  kept->caller()->GoOn([] {});
  reply(Problem(problems::kOverloaded, "too many large requests are in work"));
}

std::vector<std::string> Router::Routes() const {
  std::vector<std::string> routes;
  for (const Route& route : routes_) {
    std::string text(ToString(route.method));
    text += ' ';
    for (const std::string& segment : route.segments) text.append("/").append(segment);
    routes.push_back(std::move(text));
  }
  std::ranges::sort(routes);
  return routes;
}

}  // namespace fanfold::http
