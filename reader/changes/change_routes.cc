#include "reader/changes/change_routes.h"

#include <algorithm>
#include <expected>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <utility>

#include "common/http/metered_routes.h"
#include "common/http/problem.h"
#include "common/http/route_access.h"

namespace fanfold::reader {
namespace {

using http::Problem;
using http::Response;
namespace problems = http::problems;

template <class Value>
using Parsed = std::expected<Value, Response>;

std::unexpected<Response> Refuse(std::string_view why) {
  return std::unexpected(Problem(problems::kInvalidArgument, why));
}

Parsed<ChangeTypes> ParseTypes(std::string_view text) {
  ChangeTypes types;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    const std::optional<ChangeType> type = ChangeType::Find(name);
    if (!type) {
      std::string known;
      for (const ChangeType one : ChangeType::All()) known += fmt::format(" {}", one.name());
      return Refuse(fmt::format("types are some of{}, joined with commas", known));
    }
    types.set(type->index());
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return types;
}

Parsed<ChangeStart> ParseFrom(std::string_view text, std::int32_t partitions) {
  if (text == "earliest") return FromTheFirst();
  auto positions = ParsePositions(text);
  if (!positions) {
    return Refuse("from is earliest, or positions such as 3:1042,user-events/0:7, the last seen");
  }
  for (const StreamPosition& position : *positions) {
    if (std::ranges::find(kChangeStreams, position.stream) == kChangeStreams.end()) {
      return Refuse(fmt::format("{} has no changes", position.stream.name()));
    }
    if (position.position.partition.value >= partitions) {
      return Refuse(fmt::format("there are {} partitions", partitions));
    }
    // Nothing comes behind it.
    if (position.position.offset.value == std::numeric_limits<std::int64_t>::max()) {
      return Refuse("from names an offset that no event can have");
    }
  }
  return ChangeStart(FromBehind(*std::move(positions)));
}

Parsed<ChangeStart> ParseStart(const http::Routed& routed, std::int32_t partitions) {
  if (const auto id = routed.request.HeaderValue("last-event-id"); id && !id->empty()) {
    auto place = DecodeChangePlace(*id, partitions);
    if (place) return ChangeStart(*std::move(place));
    return std::unexpected(
        Problem(problems::kInvalidCursor, "Last-Event-ID is none that this deployment has given"));
  }
  const auto from = routed.query.Get("from");
  return from ? ParseFrom(*from, partitions) : Parsed<ChangeStart>(FromNow());
}

Parsed<ListenerAsked> Parse(const http::Routed& routed, std::int32_t partitions) {
  if (auto unknown = routed.query.RefuseUnknown({"from", "user", "types"})) {
    return std::unexpected(*std::move(unknown));
  }
  ListenerAsked asked;
  asked.who = routed.request.principal;
  if (const auto user = routed.query.Get("user")) {
    asked.filter.user = ParseUserId(*user);
    if (!asked.filter.user) return Refuse("user must be an id of 1 … 2^63−1");
  }
  if (asked.who && asked.who->user && !asked.filter.user) {
    return std::unexpected(http::Forbidden("the token is one user's: ask for user=ID"));
  }
  if (const auto types = routed.query.Get("types")) {
    const Parsed<ChangeTypes> parsed = ParseTypes(*types);
    if (!parsed) return std::unexpected(parsed.error());
    asked.filter.types = *parsed;
  }
  Parsed<ChangeStart> start = ParseStart(routed, partitions);
  if (!start) return std::unexpected(std::move(start.error()));
  asked.start = *std::move(start);
  return asked;
}

}  // namespace

void AddChangeRoutes(http::Router& router, ChangeHub& hub, Metrics& metrics) {
  http::MeteredRoutes routes(router, metrics,
                             http::RouteSeries{.requests = "fanfold_reader_requests_total",
                                               .seconds = "fanfold_reader_request_seconds"});
  routes.Add(http::Method::kGet, "/v1/changes",
             [&hub](const http::Routed& routed, const http::Reply& reply) {
               Parsed<ListenerAsked> asked = Parse(routed, hub.partitions());
               if (!asked) return reply(std::move(asked.error()));
               http::BodySource stream = hub.Listen(*std::move(asked));
               if (!stream) return reply(Problem(problems::kOverloaded, "too many listeners"));
               Response response;
               response.content_type = "text/event-stream";
               response.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
               response.stream = std::move(stream);
               reply(std::move(response));
             });
}

}  // namespace fanfold::reader
