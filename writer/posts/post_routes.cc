#include "writer/posts/post_routes.h"

#include <memory>
#include <utility>

#include "writer/command_parser.h"
#include "writer/counted_replies.h"
#include "writer/posts/post_answers.h"
#include "writer/posts/post_parser.h"
#include "writer/routes.h"

namespace fanfold::writer {
namespace {

// Shared: an answer may come when the router is gone.
class PostRoutes : public std::enable_shared_from_this<PostRoutes> {
 public:
  PostRoutes(PostService& service, Metrics& metrics) : service_(service), replies_(metrics) {}

  void Post(const http::Routed& routed, const http::Reply& reply) {
    const std::expected<UserId, Refusal> author = ParseUser("author", routed.path[0]);
    if (!author) return replies_.Refuse(author.error(), reply);
    Submit(ParsePost(*author, routed.request.body), routed, reply);
  }

  void Delete(const http::Routed& routed, const http::Reply& reply) {
    const std::expected<UserId, Refusal> author = ParseUser("author", routed.path[0]);
    if (!author) return replies_.Refuse(author.error(), reply);
    const std::expected<PostId, Refusal> post = ParsePostSegment(routed.path[1]);
    if (!post) return replies_.Refuse(post.error(), reply);
    PostCommand command;
    command.type = PostEventType::kDeletePost;
    command.author = *author;
    command.post_id = *post;
    Submit(std::move(command), routed, reply);
  }

  void PostEvents(const http::Routed& routed, const http::Reply& reply) {
    if (auto unknown = routed.query.RefuseUnknown({"imported"})) {
      return replies_.RefuseParameter(std::move(*unknown), reply);
    }
    const auto imported = ParseImported(routed.query.Get("imported"));
    if (!imported) return replies_.Refuse(imported.error(), reply);
    auto commands = ParsePostBatch(routed.request.body);
    if (!commands) return replies_.Refuse(commands.error(), reply);
    for (ParsedPost& command : *commands) Judge(command, routed);
    service_.SubmitBatch(
        std::move(*commands), *imported,
        [self = shared_from_this(), reply](const std::vector<PostAnswer>& answers) {
          for (const PostAnswer& answer : answers) self->CountRefused(answer);
          reply(ResponseOf(answers));
        });
  }

 private:
  void Submit(ParsedPost command, const http::Routed& routed, const http::Reply& reply) {
    if (auto unknown = routed.query.RefuseUnknown({"wait", "timeout_ms"})) {
      return replies_.RefuseParameter(std::move(*unknown), reply);
    }
    const auto wait = ParseWait(routed.query.Get("wait"), routed.query.Get("timeout_ms"));
    if (!wait) return replies_.Refuse(wait.error(), reply);
    Judge(command, routed);
    if (!command) return replies_.Refuse(command.error(), reply);
    service_.Submit(
        *command, *wait,
        [self = shared_from_this(), waits = wait->has_value(), reply](const PostAnswer& answer) {
          self->CountRefused(answer);
          if (answer && waits && !answer->outcome) self->replies_.CountTimeout();
          reply(ResponseOf(answer));
        },
        routed.request.caller);
  }

  static void Judge(ParsedPost& command, const http::Routed& routed) {
    const PrincipalPtr& who = routed.request.principal;
    if (!command || !who || !who->user) return;
    if (auto refused = RefuseToUser(*command, *who->user)) {
      command = std::unexpected(*std::move(refused));
    }
  }

  void CountRefused(const PostAnswer& answer) const {
    if (!answer) replies_.Count(answer.error().refusal.code);
  }

  PostService& service_;
  const CountedReplies replies_;
};

}  // namespace

void AddPostRoutes(http::Router& router, PostService& service, Metrics& metrics) {
  const auto routes = std::make_shared<PostRoutes>(service, metrics);
  http::MeteredRoutes metered(router, metrics, WriterSeries());
  metered.Add(
      http::Method::kPost, "/v1/users/{author}/posts",
      [routes](const http::Routed& routed, const http::Reply& reply) {
        routes->Post(routed, reply);
      },
      kRecordBytesMax);
  metered.Add(http::Method::kDelete, "/v1/users/{author}/posts/{post_id}",
              [routes](const http::Routed& routed, const http::Reply& reply) {
                routes->Delete(routed, reply);
              });
  metered.Add(
      http::Method::kPost, "/v1/post-events",
      [routes](const http::Routed& routed, const http::Reply& reply) {
        routes->PostEvents(routed, reply);
      },
      kPostBatchBytesMax);
}

}  // namespace fanfold::writer
