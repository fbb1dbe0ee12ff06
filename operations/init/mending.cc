#include "operations/init/mending.h"

#include <fmt/format.h>
#include <memory>
#include <utility>

#include "operations/doctor/database_checks.h"
#include "operations/doctor/log_checks.h"
#include "operations/init/identity.h"

namespace fanfold::operations {
namespace {

constexpr int kTopicsTriesMax = 20;
constexpr std::int64_t kTopicsRetryMs = 250;
// An audit holds a table for up to a minute, with another one behind it; for longer where
// audit_rows_per_second is small.
constexpr int kTableTriesMax = 200;
constexpr std::int64_t kTableRetryMs = 2000;

// Topics that were made a moment ago are not known to every broker.
Result<LogFacts> AskAboutTopics(Context& context) {
  Result<LogFacts> facts = context.backend.ReadLogFacts();
  for (int tries = 1; !facts && tries < kTopicsTriesMax; ++tries) {
    if (context.interrupt.WaitFor(kTopicsRetryMs)) break;
    facts = context.backend.ReadLogFacts();
  }
  return facts;
}

Status AddIndex(Context& context, Shard shard, const TableIndex& index) {
  Status added = Fail(ErrorCode::kUnavailable, "interrupted");
  if (context.interrupt.WaitFor(0)) return added;
  for (int tries = 0; tries < kTableTriesMax; ++tries) {
    added = context.backend.AddIndex(shard, index);
    if (added || added.error().code != ErrorCode::kConflict) return added;
    if (context.interrupt.WaitFor(kTableRetryMs)) return added;
  }
  return added;
}

Result<Deployment> ReadNow(Backend& backend) {
  Result<std::unique_ptr<ProjectionReader>> first = backend.OpenReader(Shard(0));
  if (!first) return Forward(first);
  return operations::ReadNow(backend, **first);
}

}  // namespace

std::vector<MissingIndex> FindMissingIndexes(Context& context) {
  Backend& backend = context.backend;
  std::vector<MissingIndex> missing;
  const Result<Deployment> read = ReadNow(backend);
  const Result<Identities> identities = LookAtIdentities(context);
  if (!read || !identities) return missing;
  for (std::int32_t s = 0; s < backend.shards(); ++s) {
    // The configuration may name another deployment's schema.
    if (!identities->shards[static_cast<std::size_t>(s)].fits) continue;
    const Result<DatabaseFacts> facts = backend.ReadDatabaseFacts(Shard(s), read->read);
    if (!facts) continue;
    for (const TableIndex& index : MissingIndexes(*facts)) {
      missing.push_back({Shard(s), index, backend.IndexStatement(index)});
    }
  }
  return missing;
}

IndexesMade MakeIndexes(Context& context, std::span<const MissingIndex> missing) {
  IndexesMade indexes;
  for (const auto& [shard, index, statement] : missing) {
    if (const Status made = AddIndex(context, shard, index); made) {
      indexes.made.push_back(
          fmt::format("shard {}: {} has its index {} again", shard.value, index.table, index.name));
    } else {
      indexes.refused.push_back(fmt::format("shard {}: {} lacks its index {} still: {}",
                                            shard.value, index.table, index.name,
                                            made.error().message));
    }
  }
  return indexes;
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
  mending.indexes = MakeIndexes(context, FindMissingIndexes(context));
  std::vector<ShardFacts> shards;
  for (std::int32_t s = 0; s < backend.shards(); ++s) {
    Result<DatabaseFacts> facts = backend.ReadDatabaseFacts(Shard(s), read->read);
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
