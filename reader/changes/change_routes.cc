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
#include "common/stream/no_id.h"
#include "reader/changes/event_stream.h"

namespace fanfold::reader {
namespace {

using http::Problem;
using http::Response;
namespace problems = http::problems;

constexpr http::ProblemKind kLogChanged{410, "log_changed",
                                        "The log is not the one that was read before"};

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
  if (DecodeChangeId(text, partitions)) {
    return Refuse("from takes positions: an id belongs into the header Last-Event-ID");
  }
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
    auto brought = DecodeChangeId(*id, partitions);
    if (brought) return ChangeStart(*std::move(brought));
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
    if (!asked.filter.user) return Refuse(NoId("user"));
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

constexpr std::string_view kEventStream = "text/event-stream";

Response Streamed(http::BodySource stream) {
  Response response;
  response.content_type = kEventStream;
  response.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  response.stream = std::move(stream);
  return response;
}

Response Refusal(const Error& why) {
  switch (why.code) {
    case ErrorCode::kRefused:
    case ErrorCode::kOverloaded:
      return Problem(problems::kOverloaded, why.message);
    case ErrorCode::kOutOfRange: {
      Response response =
          Problem(kLogChanged, why.message + ": read all again, with from=earliest");
      http::AddMembers(response, R"("from":"earliest")");
      return response;
    }
    default:
      return Problem(problems::kLogUnavailable, why.message);
  }
}

// An EventSource sees no status, and comes back after a 200 alone.
Response TellsWhy(const Error& why, std::int32_t partitions) {
  if (why.code == ErrorCode::kRefused) return Refusal(why);
  std::string text;
  if (why.code == ErrorCode::kOutOfRange) {
    AppendLogChanged(text, partitions);
  } else {
    AppendWhy(text, why.message + ": come again");
  }
  return Streamed([text](const http::PartSink& sink) { sink({text, true}); });
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
               const auto accept = routed.request.HeaderValue("accept").value_or("");
               const bool sees_events_alone = accept.contains(kEventStream);
               hub.Listen(*std::move(asked), [&hub, reply, sees_events_alone](auto begun) {
                 if (begun) return reply(Streamed(*std::move(begun)));
                 reply(sees_events_alone ? TellsWhy(begun.error(), hub.partitions())
                                         : Refusal(begun.error()));
               });
             });
}

}  // namespace fanfold::reader
