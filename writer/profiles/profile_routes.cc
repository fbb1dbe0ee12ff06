#include "writer/profiles/profile_routes.h"

#include <memory>
#include <utility>

#include "writer/command_parser.h"
#include "writer/counted_replies.h"
#include "writer/profiles/profile_batch.h"
#include "writer/routes.h"

namespace fanfold::writer {
namespace {

// Shared: an answer may come when the router is gone.
class ProfileRoutes : public std::enable_shared_from_this<ProfileRoutes> {
 public:
  ProfileRoutes(ProfileService& service, Metrics& metrics) : service_(service), replies_(metrics) {}

  void Put(const http::Routed& routed, const http::Reply& reply) {
    const std::optional<UserId> user = UserOf(routed, reply);
    if (!user) return;
    Result<Profile> profile = ParseProfile(routed.request.body);
    if (!profile) {
      return replies_.Refuse({RefusalCode::kInvalidArgument, profile.error().message, {}}, reply);
    }
    ParsedProfile command = ProfileCommand{*user, *std::move(profile)};
    Judge(command, routed);
    if (!command) return replies_.Refuse(command.error(), reply);
    service_.Set(*std::move(command), AnswerTo(reply));
  }

  void PostEvents(const http::Routed& routed, const http::Reply& reply) {
    if (auto unknown = routed.query.RefuseUnknown({})) {
      return replies_.RefuseParameter(std::move(*unknown), reply);
    }
    auto commands = ParseProfileBatch(routed.request.body);
    if (!commands) return replies_.Refuse(commands.error(), reply);
    for (ParsedProfile& command : *commands) Judge(command, routed);
    service_.SetBatch(*std::move(commands),
                      [self = shared_from_this(), reply](const std::vector<Answer>& answers) {
                        self->replies_.Send(answers, reply);
                      });
  }

  void Delete(const http::Routed& routed, const http::Reply& reply) {
    const std::optional<UserId> user = UserOf(routed, reply);
    if (user) service_.Delete(*user, AnswerTo(reply), routed.request.caller);
  }

  void Restore(const http::Routed& routed, const http::Reply& reply) {
    const std::optional<UserId> user = UserOf(routed, reply);
    if (user) service_.Restore(*user, AnswerTo(reply));
  }

 private:
  static void Judge(ParsedProfile& command, const http::Routed& routed) {
    const PrincipalPtr& who = routed.request.principal;
    if (!command || !who || !who->user) return;
    if (auto refused = RefuseToUser(*command, *who->user)) {
      command = std::unexpected(*std::move(refused));
    }
  }

  // Nothing: the request is refused, and answered.
  [[nodiscard]] std::optional<UserId> UserOf(const http::Routed& routed,
                                             const http::Reply& reply) const {
    if (auto unknown = routed.query.RefuseUnknown({})) {
      replies_.RefuseParameter(std::move(*unknown), reply);
      return std::nullopt;
    }
    const std::expected<UserId, Refusal> user = ParseUser("id", routed.path[0]);
    if (user) return *user;
    replies_.Refuse(user.error(), reply);
    return std::nullopt;
  }

  [[nodiscard]] ProfileService::Answered AnswerTo(const http::Reply& reply) {
    return [self = shared_from_this(), reply](const Answer& answer) {
      self->replies_.Send(answer, reply);
    };
  }

  ProfileService& service_;
  const CountedReplies replies_;
};

}  // namespace

void AddProfileRoutes(http::Router& router, ProfileService& service, Metrics& metrics) {
  const auto routes = std::make_shared<ProfileRoutes>(service, metrics);
  http::MeteredRoutes metered(router, metrics, WriterSeries());
  metered.Add(
      http::Method::kPut, "/v1/users/{id}/profile",
      [routes](const http::Routed& routed, const http::Reply& reply) {
        routes->Put(routed, reply);
      },
      kRecordBytesMax);
  metered.Add(
      http::Method::kPost, "/v1/user-events",
      [routes](const http::Routed& routed, const http::Reply& reply) {
        routes->PostEvents(routed, reply);
      },
      kProfileBatchBytesMax);
  metered.Add(http::Method::kDelete, "/v1/users/{id}",
              [routes](const http::Routed& routed, const http::Reply& reply) {
                routes->Delete(routed, reply);
              });
  metered.Add(http::Method::kPost, "/v1/users/{id}/restore",
              [routes](const http::Routed& routed, const http::Reply& reply) {
                routes->Restore(routed, reply);
              });
}

}  // namespace fanfold::writer
