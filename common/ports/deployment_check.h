// Whether what a process has reached is the deployment that it is configured for: its topics'
// partitions, its shards' schemas. Asked before anything is written.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/schema_identity.h"
#include "common/stream/slot.h"

namespace fanfold {

// Can a deployment have this shape? Errors: kInvalidArgument: what the numbers must be.
[[nodiscard]] Status CheckConfigured(const Shape& shape);

// The error, with its shard: checks of one shard leave that to their callers.
[[nodiscard]] std::unexpected<Error> OfShard(Shard shard, const Error& error);

// Has the topic the deployment's partitions? More are fine, since Kafka cannot take them back: what
// stands in those is nobody's. Errors: kRefused, it has fewer, naming both; PartitionCount's.
[[nodiscard]] Status CheckTopic(EventLog& log, Topic topic, std::int32_t partitions);

// How many records stand in the topic's partitions from `partitions` on. Errors: the log's.
[[nodiscard]] Result<std::int64_t> ForeignRecords(EventLog& log, Topic topic,
                                                  std::int32_t partitions);

// Is nothing decided in partitions from `partitions` on? Deciding lanes alone write outcomes, so it
// is the configuration that is wrong where something is. Errors: kRefused, naming it; the log's.
[[nodiscard]] Status CheckNoneDecidedBeyond(EventLog& log, std::int32_t partitions);

// Has the catalog the shape that is configured? Pure. Errors: kRefused, naming both.
[[nodiscard]] Status CheckCatalog(const Shape& configured, const Catalog& catalog);

// Is the log the one that the catalog names? One that names none is of a release before. Errors:
// kRefused, naming both, with what to do; EventLog::Id's.
[[nodiscard]] Status CheckLog(EventLog& log, const Catalog& catalog);

// Is it a slot map of that shape? Pure. Errors: kRefused, naming it, with what to do.
[[nodiscard]] Status CheckSlotMap(const Shape& configured, SlotMapId id, const SlotMap& map);

// Does the schema say that it is this shard's? `known`: the deployment's id; nothing: whichever it
// says. Pure. Errors: kRefused, by name, with what to do; kUnavailable, it says nothing yet.
[[nodiscard]] Status CheckIdentity(Shard shard, const Shape& configured,
                                   const std::optional<DeploymentId>& known,
                                   const std::optional<SchemaIdentity>& says);

// May `init` take the schema for that shard's? It is, or it is new, or it was left by a release
// that told it nothing, and its catalog, lanes and users are where that shard's are. Pure. Errors:
// kRefused, by name, with what to do.
[[nodiscard]] Status CheckSchema(Shard shard, const Shape& configured,
                                 const std::optional<DeploymentId>& known,
                                 const SchemaTraces& traces);

// The schemas that a process may touch: those of one deployment, its id being the one that is
// pinned, or what shard 0 says first. Thread-safe.
class OwnSchemas {
 public:
  OwnSchemas(const Shape& configured, std::optional<DeploymentId> pinned)
      : configured_(configured), known_(std::move(pinned)) {}

  // For each session with that shard's schema; this outlives it. Errors besides CheckIdentity's:
  // kUnavailable, shard 0 has not been reached yet, and nothing is pinned.
  [[nodiscard]] SchemaCheck Of(Shard shard);

 private:
  [[nodiscard]] Status Check(Shard shard, const std::optional<SchemaIdentity>& says);

  const Shape configured_;
  std::mutex mutex_;
  std::optional<DeploymentId> known_;
};

}  // namespace fanfold
