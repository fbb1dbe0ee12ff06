// Counts what remains of a user in the topics.
#pragma once

#include <cstdint>
#include <optional>

#include "common/ports/event_log.h"
#include "common/stream/position.h"
#include "operations/base/context.h"

namespace fanfold::operations {

struct Named {
  std::int64_t records = 0;
  std::optional<Position> first;  // in the order of partitions
  std::optional<Position> last;
};

enum class AccountState : std::uint8_t {
  kLives,
  kErasing,  // deleted, and what it leaves is being ended
  kErased,
};

struct Remains {
  UserId user;
  AccountState account = AccountState::kLives;
  std::int64_t following = 0;  // relations that the tables hold
  std::int64_t fans = 0;
  PerTopic<Named> topics;
};

// Errors: the ports'.
[[nodiscard]] Result<AccountState> StateOfAccount(Context& context, UserId user);

// Reads every record of every topic. Errors: those of PartitionScan, and the ports'.
[[nodiscard]] Result<Remains> FindRemains(Context& context, UserId user);

}  // namespace fanfold::operations
