#include "writer/command_policy.h"

#include <fmt/format.h>

#include "common/relation/edge.h"

namespace fanfold::writer {
namespace {

bool IsForWantOfTheLog(RefusalCode code) noexcept {
  return code == RefusalCode::kLogUnavailable || code == RefusalCode::kOverloaded;
}

}  // namespace

RefusalCode RefusalOf(RejectReason reason) noexcept {
  switch (reason) {
    case RejectReason::kSelfFollow:
      return RefusalCode::kSelfFollow;
    case RejectReason::kFollowLimit:
      return RefusalCode::kFollowLimit;
    case RejectReason::kSuperseded:
      return RefusalCode::kSuperseded;
    case RejectReason::kUserDeleted:
      return RefusalCode::kUserDeleted;
  }
  return RefusalCode::kInvalidArgument;
}

std::optional<Refusal> RefuseCommand(const Command& command) {
  const std::optional<RejectReason> reason = RefuseAtOnce(command.subject, command.object);
  if (!reason) return std::nullopt;
  return Refusal{RefusalOf(*reason),
                 fmt::format("subject and object are both {}", command.subject.value),
                 std::nullopt};
}

std::optional<Refusal> RefuseToUser(const Command& command, UserId user) {
  const UserId asks = command.by == AskedBy::kObject ? command.object : command.subject;
  if (asks != user) {
    return Refusal{RefusalCode::kForbidden, "the token is another user's", std::nullopt};
  }
  const bool is_plain = !command.at_ms && !command.if_version && !command.replay_of;
  if (is_plain && command.event_id.empty()) return std::nullopt;
  return Refusal{RefusalCode::kForbidden,
                 "at, event_id, if_version and replay_of are not for tokens of users",
                 std::nullopt};
}

std::optional<Refusal> RefuseBatchSize(std::size_t events) {
  if (events == 0) {
    return Refusal{RefusalCode::kInvalidArgument, "events is empty", std::nullopt};
  }
  if (events > kBatchEventsMax) {
    return Refusal{RefusalCode::kBatchTooLarge,
                   fmt::format("{} events, at most {}", events, kBatchEventsMax), std::nullopt};
  }
  return std::nullopt;
}

std::optional<Refusal> RefuseWholeBatch(std::span<const Answer> answers) {
  const Refusal* first = nullptr;
  for (const Answer& answer : answers) {
    if (answer) return std::nullopt;
    if (first == nullptr && IsForWantOfTheLog(answer.error().code)) first = &answer.error();
  }
  if (first == nullptr) return std::nullopt;
  return *first;
}

}  // namespace fanfold::writer
