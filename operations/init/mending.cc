#include "operations/init/mending.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

#include "operations/doctor/database_checks.h"
#include "operations/doctor/log_checks.h"

namespace fanfold::operations {
namespace {

constexpr int kTopicsTriesMax = 20;
constexpr std::int64_t kTopicsRetryMs = 250;

// Topics that were made a moment ago are not known to every broker.
Result<LogFacts> AskAboutTopics(Context& context) {
  Result<LogFacts> facts = context.backend.ReadLogFacts();
  for (int tries = 1; !facts && tries < kTopicsTriesMax; ++tries) {
    if (context.interrupt.WaitFor(kTopicsRetryMs)) break;
    facts = context.backend.ReadLogFacts();
  }
  return facts;
}

Result<Deployment> ReadNow(Backend& backend) {
  Result<std::unique_ptr<ProjectionReader>> first = backend.OpenReader(Shard(0));
  if (!first) return Forward(first);
  return operations::ReadNow(backend, **first);
}

Result<DatabaseFacts> MendShard(Backend& backend, Shard shard, const ReadGenerations& read,
                                std::vector<std::string>& mended) {
  Result<DatabaseFacts> facts = backend.ReadDatabaseFacts(shard, read);
  if (!facts) return facts;
  bool made = false;
  for (const TableIndex& index : MissingIndexes(*facts)) {
    // What does not work shows in what is still missing.
    if (!backend.AddIndex(shard, index)) continue;
    mended.push_back(
        fmt::format("shard {}: {} has its index {} again", shard.value, index.table, index.name));
    made = true;
  }
  return made ? backend.ReadDatabaseFacts(shard, read) : facts;
}

}  // namespace

std::vector<MissingIndex> WhatCanBeMended(Context& context) {
  Backend& backend = context.backend;
  std::vector<MissingIndex> missing;
  const Result<Deployment> read = ReadNow(backend);
  if (!read) return missing;
  for (std::int32_t s = 0; s < backend.shards(); ++s) {
    const Result<DatabaseFacts> facts = backend.ReadDatabaseFacts(Shard(s), read->read);
    if (!facts) continue;
    for (const TableIndex& index : MissingIndexes(*facts)) {
      missing.push_back({Shard(s), backend.IndexStatement(index)});
    }
  }
  return missing;
}

Mending MendWhatIsDeclared(Context& context) {
  Backend& backend = context.backend;
  Mending mending;
  const Result<LogFacts> log = AskAboutTopics(context);
  if (log) {
    mending.checks = {CheckRetention(*log), CheckAppendTime(*log)};
  } else {
    mending.checks.push_back(CannotLook("topics", log.error()));
  }
  const Result<Deployment> read = ReadNow(backend);
  if (!read) {
    mending.checks.push_back(CannotLook("catalog", read.error()));
    return mending;
  }
  std::vector<ShardFacts> shards;
  for (std::int32_t s = 0; s < backend.shards(); ++s) {
    Result<DatabaseFacts> facts = MendShard(backend, Shard(s), read->read, mending.mended);
    if (facts) {
      shards.push_back({.shard = Shard(s), .facts = std::move(*facts)});
    } else {
      mending.checks.push_back(CannotLook("database", facts.error()));
    }
  }
  mending.checks.push_back(CheckIndexes(shards));
  return mending;
}

}  // namespace fanfold::operations
