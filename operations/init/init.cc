#include "operations/init/init.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/ports/deployment_check.h"
#include "common/ports/own_log.h"
#include "common/stream/slot.h"
#include "operations/feed/feed_mode.h"

namespace fanfold::operations {
namespace {

struct Found {
  bool is_there = false;              // the deployment, or what an earlier release made of it
  std::optional<DeploymentId> known;  // nothing: init gives it one
};

// All of them, before anything is written. The first that says whose it is says it for all, where
// the configuration pins nothing. Errors: kRefused, a schema is another's; LookAtSchema's.
Result<Found> LookAtSchemas(Backend& backend, const Shape& configured) {
  Found found{false, backend.pinned()};
  std::vector<SchemaTraces> all;
  for (std::int32_t shard = 0; shard < configured.shards; ++shard) {
    Result<SchemaTraces> traces = backend.LookAtSchema(Shard(shard));
    if (!traces) return OfShard(Shard(shard), traces.error());
    found.is_there = found.is_there || traces->catalog || traces->identity;
    if (!found.known && traces->identity) found.known = traces->identity->deployment;
    all.push_back(std::move(*traces));
  }
  for (std::int32_t shard = 0; shard < configured.shards; ++shard) {
    const SchemaTraces& traces = all[static_cast<std::size_t>(shard)];
    const Status fits = CheckSchema(Shard(shard), configured, found.known, traces);
    if (!fits) return OfShard(Shard(shard), fits.error());
  }
  return found;
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

Status NameOwnLog(Backend& backend) {
  const Result<std::shared_ptr<EventLog>> log = backend.OpenLog();
  if (!log) return std::unexpected(log.error());
  const Result<std::unique_ptr<GenerationOperations>> first = backend.OpenGenerations(Shard(0));
  if (!first) return OfShard(Shard(0), first.error());
  return NameLog(
      **log, [&backend](Shard shard) { return backend.OpenReader(shard); }, **first,
      backend.shards());
}

Status InitAll(Context& context) {
  Backend& backend = context.backend;
  const Shape configured = ShapeOf(backend);
  if (Status valid = CheckConfigured(configured); !valid) return valid;
  Result<Found> found = LookAtSchemas(backend, configured);
  if (!found) return Forward(found);
  Status topics = backend.CreateTopics();
  if (topics && !found->is_there) topics = CheckNewTopics(backend);
  if (!topics) return Fail(topics.error().code, "topics: " + topics.error().message);
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    const Result<DeploymentId> made = backend.Migrate(Shard(shard), found->known);
    if (!made) return OfShard(Shard(shard), made.error());
    found->known = *made;
  }
  if (Status named = NameOwnLog(backend); !named) return named;
  if (found->is_there || !backend.is_hybrid()) return {};
  const Result<FeedMode> set = SetFeedMode(context, backend.is_hybrid());
  return set ? Status() : std::unexpected(set.error());
}

// An init that was cut short left the deployment there, and the next one takes it as it is.
Check CheckFeed(const Result<FeedMode>& mode) {
  if (!mode) return CannotLook("feed", mode.error());
  Check check{"feed", "as it was chosen", {}};
  if (mode->was_ever_hybrid) return check;
  check.Warn(
      "feeds are pulled, and the configuration says hybrid, which counts where a deployment "
      "is made",
      "run `fanfold feed mode hybrid`, or take `feed` out of the configuration");
  return check;
}

}  // namespace

Result<Mending> Init(Context& context) {
  const Status done = InitAll(context);
  if (!done) return std::unexpected(done.error());
  Mending mending = MendWhatIsDeclared(context);
  if (context.backend.is_hybrid()) mending.checks.push_back(CheckFeed(ReadFeedMode(context)));
  return mending;
}

}  // namespace fanfold::operations
