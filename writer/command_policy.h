// The writer's early refusals, whatever the tables say. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "writer/command.h"

namespace fanfold::writer {

inline constexpr std::size_t kBatchEventsMax = 1000;

// Asks the predicates that Decide rejects by; nothing when the command may be logged.
[[nodiscard]] std::optional<Refusal> RefuseCommand(const Command& command);

// Refuses to somebody who acts for `user` alone. Nothing: allowed. A follow or unfollow of the user
// is, and the removal of a fan of the user, each as of now.
[[nodiscard]] std::optional<Refusal> RefuseToUser(const Command& command, UserId user);

// Looks at the number of events alone; nothing when the batch may be taken.
[[nodiscard]] std::optional<Refusal> RefuseBatchSize(std::size_t events);

// The refusal of a batch as a whole: none of its events is in the log, and the log was away or full
// for at least one. A batch of nothing but wrong events is answered event by event.
[[nodiscard]] std::optional<Refusal> RefuseWholeBatch(std::span<const Answer> answers);

// The refusal that stands for an outcome `rejected` for this reason.
[[nodiscard]] RefusalCode RefusalOf(RejectReason reason) noexcept;

}  // namespace fanfold::writer
