#include "writer/routes.h"

#include <memory>
#include <string>
#include <utility>

#include "common/http/metered_routes.h"
#include "writer/answers.h"
#include "writer/batch_parser.h"
#include "writer/command_parser.h"

namespace fanfold::writer {
namespace {

// Shared: an answer may come when the router is gone.
class Routes : public std::enable_shared_from_this<Routes> {
 public:
  Routes(CommandService& service, Metrics& metrics)
      : service_(service),
        metrics_(metrics),
        wait_timeouts_(metrics.GetCounter("fanfold_writer_wait_timeouts_total",
                                          "Waits for an outcome that ran out of time.")) {}

  void PutOrDelete(EdgeRequest request, const http::Routed& routed, http::Reply reply) {
    if (auto unknown = routed.query.RefuseUnknown({"wait", "timeout_ms"})) {
      return ReplyUnknownParameter(std::move(*unknown), reply);
    }
    const auto wait = ParseWait(routed.query.Get("wait"), routed.query.Get("timeout_ms"));
    if (!wait) return ReplyRefusal(wait.error(), reply);
    const ParsedCommand command = ParseEdgeCommand(request, routed.path[0], routed.path[1]);
    if (!command) return ReplyRefusal(command.error(), reply);
    service_.Submit(
        *command, *wait,
        [self = shared_from_this(), waits = wait->has_value(), reply = std::move(reply)](
            const Answer& answer) { self->ReplyAnswer(answer, waits, reply); },
        routed.request.caller);
  }

  void PostEvents(const http::Routed& routed, http::Reply reply) {
    if (auto unknown = routed.query.RefuseUnknown({})) {
      return ReplyUnknownParameter(std::move(*unknown), reply);
    }
    auto commands = ParseBatch(routed.request.body);
    if (!commands) return ReplyRefusal(commands.error(), reply);
    service_.SubmitBatch(
        std::move(*commands),
        [self = shared_from_this(), reply = std::move(reply)](const std::vector<Answer>& answers) {
          self->ReplyBatch(answers, reply);
        });
  }

 private:
  void ReplyAnswer(const Answer& answer, bool waits, const http::Reply& reply) {
    if (!answer) return ReplyRefusal(answer.error(), reply);
    if (waits && !answer->outcome) wait_timeouts_.Add(1);
    reply(ResponseOf(*answer));
  }

  void ReplyBatch(const std::vector<Answer>& answers, const http::Reply& reply) {
    for (const Answer& answer : answers) {
      if (!answer) CountRefusal(answer.error().code);
    }
    reply(ResponseOf(answers));
  }

  void ReplyRefusal(const Refusal& refusal, const http::Reply& reply) {
    CountRefusal(refusal.code);
    reply(ResponseOf(refusal));
  }

  void ReplyUnknownParameter(http::Response response, const http::Reply& reply) {
    CountRefusal(RefusalCode::kUnknownParameter);
    reply(std::move(response));
  }

  void CountRefusal(RefusalCode code) {
    metrics_
        .GetCounter("fanfold_writer_refused_total", "Events and requests refused, by code.",
                    {{"code", std::string(ProblemOf(code).code)}})
        .Add(1);
  }

  CommandService& service_;
  Metrics& metrics_;
  Counter& wait_timeouts_;
};

}  // namespace

void AddWriterRoutes(http::Router& router, CommandService& service, Metrics& metrics) {
  const auto routes = std::make_shared<Routes>(service, metrics);
  http::MeteredRoutes metered(router, metrics,
                              http::RouteSeries{.requests = "fanfold_writer_requests_total",
                                                .seconds = "fanfold_writer_seconds"});
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
