#include "common/http/router.h"

#include <algorithm>
#include <charconv>

#include "common/base/check.h"
#include "common/http/problem.h"

namespace fanfold::http {
namespace {

constexpr std::ptrdiff_t kEscapeDigits = 2;
constexpr int kHexBase = 16;
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

Response BrokenEscape(std::string_view where) {
  return Problem(problems::kInvalidArgument, std::string(where) + " has a broken %-escape");
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

std::optional<std::string> PercentDecoded(std::string_view text, bool is_query) {
  const auto is_coded = [](char c) { return c == '%' || c == '+'; };
  if (std::ranges::none_of(text, is_coded)) return std::string(text);
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && is_query) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const std::string_view digits = text.substr(i + 1, kEscapeDigits);
      unsigned char byte = 0;
      const auto parsed =
          std::from_chars(digits.data(), digits.data() + digits.size(), byte, kHexBase);
      if (parsed.ptr - digits.data() != kEscapeDigits) return std::nullopt;
      decoded += static_cast<char>(byte);
      i += kEscapeDigits;
    }
  }
  return decoded;
}

std::expected<Query, Response> Query::Parse(std::string_view query) {
  Query parsed;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view piece = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (piece.empty()) continue;
    const std::size_t equals = std::min(piece.find('='), piece.size());
    auto name = PercentDecoded(piece.substr(0, equals), true);
    auto value = PercentDecoded(piece.substr(std::min(equals + 1, piece.size())), true);
    if (!name || !value) return std::unexpected(BrokenEscape("the query"));
    if (std::string* earlier = parsed.Find(*name)) {
      earlier->append(",").append(*value);
      continue;
    }
    if (parsed.parameters_.size() == kParametersMax) {
      return std::unexpected(Problem(problems::kInvalidArgument, "too many parameters"));
    }
    parsed.parameters_.emplace_back(std::move(*name), std::move(*value));
  }
  return parsed;
}

std::string* Query::Find(std::string_view name) {
  const auto found = std::ranges::find(parameters_, name, [](const auto& of) { return of.first; });
  return found == parameters_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> Query::Get(std::string_view name) const {
  for (const auto& [key, value] : parameters_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<Response> Query::RefuseUnknown(std::initializer_list<std::string_view> known) const {
  for (const auto& [name, value] : parameters_) {
    if (std::ranges::find(known, std::string_view(name)) != known.end()) continue;
    return Problem(problems::kUnknownParameter, "the parameter " + name + " is not known");
  }
  return std::nullopt;
}

void Router::Add(Method method, std::string_view pattern, RouteHandler handler,
                 std::size_t body_bytes_max) {
  const auto segments = Segments(pattern);
  FANFOLD_CHECK(segments.has_value(), pattern);
  Route route{method, {segments->begin(), segments->end()}, std::move(handler), body_bytes_max};
  // More literals stand first, so that /fans/export is found before /fans/{fan}.
  const auto placeholders = [](const Route& of) {
    return std::ranges::count_if(of.segments, IsPlaceholder);
  };
  const auto place = std::ranges::upper_bound(routes_, placeholders(route), {}, placeholders);
  routes_.insert(place, std::move(route));
}

void Router::operator()(const Request& request, Reply reply) const {
  std::vector<std::string> path;
  path.reserve(kSegmentsUsual);
  for (const std::string_view segment :
       Segments(request.path).value_or(std::vector<std::string_view>())) {
    auto decoded = PercentDecoded(segment, false);
    if (!decoded) return reply(BrokenEscape("the path"));
    path.push_back(std::move(*decoded));
  }
  std::vector<Method> allowed;
  const Route* resource = nullptr;
  for (const Route& route : routes_) {
    if (!Matches(route.segments, path)) continue;
    if (resource == nullptr) resource = &route;
    if (!IsSameResource(resource->segments, route.segments)) continue;
    if (!Answers(route.method, request.method)) {
      allowed.push_back(route.method);
      continue;
    }
    if (request.body.size() > route.body_bytes_max) {
      return reply(Problem(problems::kBodyTooLarge,
                           "more than " + std::to_string(route.body_bytes_max) + " bytes"));
    }
    auto query = Query::Parse(request.query);
    if (!query) return reply(std::move(query.error()));
    return route.handler(Routed{request, Captured(route.segments, path), std::move(*query)},
                         std::move(reply));
  }
  if (allowed.empty()) return reply(Problem(problems::kNotFound, "no such path"));
  std::ranges::sort(allowed);
  allowed.erase(std::ranges::unique(allowed).begin(), allowed.end());
  Response response = Problem(problems::kMethodNotAllowed, "see the header Allow");
  response.headers.emplace_back("Allow", AllowOf(allowed));
  reply(std::move(response));
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
