// Checks of the databases. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ports/deployment.h"
#include "common/ports/environment.h"
#include "operations/doctor/check.h"

namespace fanfold::operations {

struct ShardFacts {
  Shard shard;
  DatabaseFacts facts;
  std::int64_t asked_ms = 0;  // by this machine's clock, before and after it was asked
  std::int64_t answered_ms = 0;
};

// Clocks further apart than this are found.
inline constexpr std::int64_t kClockSkewMaxMs = 1000;

// The servers are ones that every statement was tried on: MySQL 8 or later, MariaDB 10.11 or later.
// `log_client`: LogFacts::client, "" where it is not known.
[[nodiscard]] Check CheckServers(std::span<const ShardFacts> shards, const std::string& log_client);

[[nodiscard]] Check CheckMigrations(std::span<const ShardFacts> shards);

// Declared indexes that are missing, by name, on tables that are there.
[[nodiscard]] std::vector<TableIndex> MissingIndexes(const DatabaseFacts& facts);

// Shard 0's slot map `map` can be read, and says of each slot where it is.
[[nodiscard]] Check CheckMapRead(SlotMapId map, const Result<Deployment>& read);

// Every index that is declared is there, with its columns.
[[nodiscard]] Check CheckIndexes(std::span<const ShardFacts> shards);

// A commit is on the disk when it returns.
[[nodiscard]] Check CheckDurability(std::span<const ShardFacts> shards);

// This machine's clock against the databases' and against the newest record's time of append.
[[nodiscard]] Check CheckClocks(std::span<const ShardFacts> shards,
                                std::optional<std::int64_t> newest_append_ms, std::int64_t now_ms);

}  // namespace fanfold::operations
