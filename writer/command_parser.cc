#include "writer/command_parser.h"

#include <fmt/format.h>
#include <utility>

#include "common/stream/no_id.h"

namespace fanfold::writer {
namespace {

struct SegmentNames {
  std::string_view owner;
  std::string_view other;
};

SegmentNames NamesOf(EdgeRequest request) noexcept {
  if (request == EdgeRequest::kRemoveFan) return {"user", "fan"};
  return {"subject", "object"};
}

}  // namespace

std::expected<UserId, Refusal> ParseUser(std::string_view name, std::string_view segment) {
  const std::optional<UserId> user = ParseUserId(segment);
  if (user) return *user;
  return Refuse(RefusalCode::kInvalidArgument, NoId(name));
}

ParsedCommand ParseEdgeCommand(EdgeRequest request, std::string_view owner,
                               std::string_view other) {
  const SegmentNames names = NamesOf(request);
  const std::expected<UserId, Refusal> owner_id = ParseUser(names.owner, owner);
  if (!owner_id) return std::unexpected(owner_id.error());
  const std::expected<UserId, Refusal> other_id = ParseUser(names.other, other);
  if (!other_id) return std::unexpected(other_id.error());
  Command command;
  command.type = request == EdgeRequest::kFollow ? EventType::kFollow : EventType::kUnfollow;
  command.subject = *owner_id;
  command.object = *other_id;
  if (request == EdgeRequest::kRemoveFan) {
    command.by = AskedBy::kObject;
    std::swap(command.subject, command.object);
  }
  return command;
}

std::expected<std::optional<std::int64_t>, Refusal> ParseWait(
    std::optional<std::string_view> wait, std::optional<std::string_view> timeout_ms) {
  std::optional<std::int64_t> timeout = kWaitTimeoutMsDefault;
  if (timeout_ms) timeout = ParseNonNegative(*timeout_ms);
  if (!timeout || *timeout < 1 || *timeout > kWaitTimeoutMsMax) {
    return Refuse(RefusalCode::kInvalidArgument,
                  fmt::format("timeout_ms must be an integer 1 … {}", kWaitTimeoutMsMax));
  }
  if (wait && *wait != "decided") {
    return Refuse(RefusalCode::kInvalidArgument, "wait must be decided");
  }
  if (!wait && *timeout != kWaitTimeoutMsDefault) {
    return Refuse(RefusalCode::kInvalidArgument, "timeout_ms is only for wait=decided");
  }
  return wait ? timeout : std::nullopt;
}

}  // namespace fanfold::writer
