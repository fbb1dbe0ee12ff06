#include "writer/feed/shown_routes.h"

#include <memory>

#include "writer/command_parser.h"
#include "writer/counted_replies.h"
#include "writer/routes.h"

namespace fanfold::writer {

void AddShownRoutes(http::Router& router, ShownService& service, Metrics& metrics) {
  // Shared: an answer may come when the router is gone.
  const auto replies = std::make_shared<const CountedReplies>(metrics);
  http::MeteredRoutes metered(router, metrics, WriterSeries());
  metered.Add(
      http::Method::kPost, "/v1/users/{id}/feed/shown",
      [&service, replies](const http::Routed& routed, const http::Reply& reply) {
        if (auto unknown = routed.query.RefuseUnknown({})) {
          return replies->RefuseParameter(std::move(*unknown), reply);
        }
        const std::expected<UserId, Refusal> owner = ParseUser("id", routed.path[0]);
        if (!owner) return replies->Refuse(owner.error(), reply);
        const auto items = ParseShown(routed.request.body);
        if (!items) return replies->Refuse(items.error(), reply);
        service.Shown(*owner, *items,
                      [replies, reply](const Answer& answer) { replies->Send(answer, reply); });
      },
      kRecordBytesMax);
}

}  // namespace fanfold::writer
