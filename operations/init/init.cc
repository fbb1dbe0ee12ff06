#include "operations/init/init.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <vector>

#include "common/ports/deployment_check.h"
#include "common/stream/slot.h"

namespace fanfold::operations {
namespace {

// Before anything is written: whether the deployment is there already. Errors: kRefused, a schema
// is another shard's; ProjectionReader's.
Result<bool> LookAtSchemas(Backend& backend, const Placement& configured) {
  bool is_there = false;
  for (std::int32_t s = 0; s < configured.shards(); ++s) {
    const Shard shard(s);
    Result<std::unique_ptr<ProjectionReader>> reader = backend.OpenReader(shard);
    if (!reader) return Forward(reader);
    Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
    // No tables yet, or an earlier build's: the catalog alone tells of those.
    if (!lanes && lanes.error().code == ErrorCode::kRefused) lanes.emplace();
    if (!lanes) return OfShard(shard, lanes.error());
    const Result<std::optional<DeploymentShape>> catalog = ReadShapeIfAny(**reader);
    if (!catalog) return OfShard(shard, catalog.error());
    is_there = is_there || *catalog;
    const bool is_new = shard == Shard(0) && !*catalog && lanes->empty();
    if (is_new) continue;
    const Status fits = CheckSchema(shard, configured, *catalog, *lanes);
    if (!fits) return OfShard(shard, fits.error());
  }
  return is_there;
}

// Users of a new deployment live in as many partitions as its topics have, so that any producer
// agrees.
Status CheckNewTopics(Backend& backend) {
  Result<std::shared_ptr<EventLog>> log = backend.OpenLog();
  if (!log) return Forward(log);
  for (const Topic topic : Topic::All()) {
    const Result<std::int32_t> there = (*log)->PartitionCount(topic);
    // Made a moment ago, which not every broker knows yet.
    if (!there && there.error().code == ErrorCode::kNotFound) continue;
    if (!there) return std::unexpected(there.error());
    if (*there == backend.partitions()) continue;
    return Fail(ErrorCode::kRefused,
                fmt::format("{} has {} partitions, a new deployment of {} wants as "
                            "many",
                            topic.name(), *there, backend.partitions()));
  }
  return {};
}

Status InitAll(Backend& backend) {
  const Result<Placement> configured = ConfiguredPlacement(backend);
  if (!configured) return std::unexpected(configured.error());
  const Result<bool> is_there = LookAtSchemas(backend, *configured);
  if (!is_there) return std::unexpected(is_there.error());
  Status topics = backend.CreateTopics();
  if (topics && !*is_there) topics = CheckNewTopics(backend);
  if (!topics) return Fail(topics.error().code, "topics: " + topics.error().message);
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    if (Status tables = backend.Migrate(Shard(shard)); !tables) {
      return Fail(tables.error().code, fmt::format("shard {}: {}", shard, tables.error().message));
    }
  }
  return {};
}

}  // namespace

Result<Mending> Init(Context& context) {
  const Status done = InitAll(context.backend);
  if (!done) return std::unexpected(done.error());
  return MendWhatIsDeclared(context);
}

}  // namespace fanfold::operations
