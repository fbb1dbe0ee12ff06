#include "writer/routes.h"

#include <memory>
#include <string>
#include <utility>

#include "common/http/request_trace.h"
#include "writer/batch_parser.h"
#include "writer/command_parser.h"
#include "writer/command_policy.h"
#include "writer/counted_replies.h"

namespace fanfold::writer {
namespace {

// Shared: an answer may come when the router is gone.
class CommandRoutes : public std::enable_shared_from_this<CommandRoutes> {
 public:
  CommandRoutes(CommandService& service, Metrics& metrics) : service_(service), replies_(metrics) {}

  void PutOrDelete(EdgeRequest request, const http::Routed& routed, http::Reply reply) {
    if (auto unknown = routed.query.RefuseUnknown({"wait", "timeout_ms"})) {
      return replies_.RefuseParameter(std::move(*unknown), reply);
    }
    const auto wait = ParseWait(routed.query.Get("wait"), routed.query.Get("timeout_ms"));
    if (!wait) return replies_.Refuse(wait.error(), reply);
    ParsedCommand command = ParseEdgeCommand(request, routed.path[0], routed.path[1]);
    if (!command) return replies_.Refuse(command.error(), reply);
    command->trace = TraceOf(routed.request);
    service_.Submit(
        *command, *wait,
        [self = shared_from_this(), waits = wait->has_value(), reply = std::move(reply)](
            const Answer& answer) { self->ReplyAnswer(answer, waits, reply); },
        routed.request.caller);
  }

  void PostEvents(const http::Routed& routed, http::Reply reply) {
    if (auto unknown = routed.query.RefuseUnknown({})) {
      return replies_.RefuseParameter(std::move(*unknown), reply);
    }
    auto commands = ParseBatch(routed.request.body);
    if (!commands) return replies_.Refuse(commands.error(), reply);
    if (const PrincipalPtr& who = routed.request.principal; who && who->user) {
      for (ParsedCommand& command : *commands) {
        auto refused = command ? RefuseToUser(*command, *who->user) : std::nullopt;
        if (refused) command = std::unexpected(*std::move(refused));
      }
    }
    const Trace trace = TraceOf(routed.request);
    for (ParsedCommand& command : *commands) {
      if (command) command->trace = trace;
    }
    service_.SubmitBatch(
        std::move(*commands),
        [self = shared_from_this(), reply = std::move(reply)](const std::vector<Answer>& answers) {
          self->replies_.Send(answers, reply);
        });
  }

 private:
  void ReplyAnswer(const Answer& answer, bool waits, const http::Reply& reply) {
    if (answer && waits && !answer->outcome) replies_.CountTimeout();
    replies_.Send(answer, reply);
  }

  CommandService& service_;
  const CountedReplies replies_;
};

}  // namespace

http::RouteSeries WriterSeries() {
  return {.requests = "fanfold_writer_requests_total",
          .seconds = "fanfold_writer_request_seconds",
          .writes = true};
}

void AddWriterRoutes(http::Router& router, CommandService& service, Metrics& metrics) {
  const auto routes = std::make_shared<CommandRoutes>(service, metrics);
  http::MeteredRoutes metered(router, metrics, WriterSeries());
  const auto add_edge = [&](http::Method method, std::string_view pattern, EdgeRequest request) {
    metered.Add(method, pattern, [routes, request](const http::Routed& routed, http::Reply reply) {
      routes->PutOrDelete(request, routed, std::move(reply));
    });
  };
  constexpr std::string_view kFollowing = "/v1/users/{subject}/following/{object}";
  add_edge(http::Method::kPut, kFollowing, EdgeRequest::kFollow);
  add_edge(http::Method::kDelete, kFollowing, EdgeRequest::kUnfollow);
  add_edge(http::Method::kDelete, "/v1/users/{user}/fans/{fan}", EdgeRequest::kRemoveFan);
  metered.Add(
      http::Method::kPost, "/v1/events",
      [routes](const http::Routed& routed, http::Reply reply) {
        routes->PostEvents(routed, std::move(reply));
      },
      kBatchBytesMax);
}

}  // namespace fanfold::writer
