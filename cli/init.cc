#include "cli/init.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/relation/slot.h"

namespace fanfold {
namespace {

Status InitAll(Backend& backend) {
  if (!Placement::IsValid(backend.partitions(), backend.shards())) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} partitions on {} shards: both must be powers of two, at most {} "
                            "partitions, and no more shards than partitions",
                            backend.partitions(), backend.shards(), Placement::kPartitionsMax));
  }
  if (Status topics = backend.CreateTopics(); !topics) {
    return Fail(topics.error().code, "topics: " + topics.error().message);
  }
  for (std::int32_t shard = 0; shard < backend.shards(); ++shard) {
    if (Status tables = backend.Migrate(Shard(shard)); !tables) {
      return Fail(tables.error().code, fmt::format("shard {}: {}", shard, tables.error().message));
    }
  }
  return {};
}

}  // namespace

ExitCode RunInit(Session& session) {
  const Status done = InitAll(session.backend);
  if (!done) return session.console.SayError(done.error());
  if (session.json) {
    const nlohmann::json answer = {{"partitions", session.backend.partitions()},
                                   {"shards", session.backend.shards()}};
    session.console.PrintLine(answer.dump());
  } else {
    session.console.PrintLine(fmt::format("ready: {} partitions, {} shards",
                                          session.backend.partitions(), session.backend.shards()));
  }
  session.console.Flush();
  return ExitCode::kFine;
}

}  // namespace fanfold
