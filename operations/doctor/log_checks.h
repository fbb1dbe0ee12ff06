// Checks of the topics. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "common/ports/environment.h"
#include "common/ports/projection_reader.h"
#include "operations/doctor/check.h"

namespace fanfold::operations {

// Every topic keeps its records forever, and whole: tables are folded from them again.
[[nodiscard]] Check CheckRetention(const LogFacts& log);

// Records carry the broker's time: `--until` and replays compare it.
[[nodiscard]] Check CheckAppendTime(const LogFacts& log);

// Checks that acked events survive the loss of a broker.
[[nodiscard]] Check CheckReplicas(const LogFacts& log);

// Less left than this beside a log that is a file is found.
inline constexpr std::int64_t kFreeBytesLow = std::int64_t{1} << 30;
// Less than this is a problem: batches, SQLite's journals among them, may find none left.
inline constexpr std::int64_t kFreeBytesLeast = std::int64_t{64} << 20;

// The disk of a log that is a file, and of the tables beside it, has room. Brokers and databases
// do not tell theirs.
[[nodiscard]] Check CheckRoom(const LogFacts& log);

// Brokers remember producers for long enough: so they refuse what does not follow on a producer's
// last append.
[[nodiscard]] Check CheckProducers(const LogFacts& log);

// Topics, tables and configuration agree on partitions and shards, which are for life; a topic may
// have more partitions than the deployment.
[[nodiscard]] Check CheckShape(const LogFacts& log, const std::optional<Catalog>& catalog,
                               const Shape& configured);

// Records in partitions from the deployment's P on.
using ForeignCounts = PerTopic<std::int64_t>;
[[nodiscard]] Check CheckForeign(const ForeignCounts& foreign);

}  // namespace fanfold::operations
