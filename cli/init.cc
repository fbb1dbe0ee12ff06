#include "cli/init.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/mending.h"
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

std::string ToJson(const Backend& backend, const Mending& mending) {
  nlohmann::json answer = nlohmann::json::parse(ChecksJson(mending.checks));
  answer["partitions"] = backend.partitions();
  answer["shards"] = backend.shards();
  answer["mended"] = mending.mended;
  return answer.dump();
}

std::string ToText(const Backend& backend, Mending mending) {
  std::string text;
  for (const std::string& line : mending.mended) text += line + '\n';
  const bool ready = ExitCodeOf(mending.checks) == ExitCode::kFine;
  std::erase_if(mending.checks, [](const Check& check) { return check.findings.empty(); });
  text += ChecksText(mending.checks);
  if (!ready) return text + "not ready";
  return text +
         fmt::format("ready: {} partitions, {} shards", backend.partitions(), backend.shards());
}

}  // namespace

ExitCode RunInit(Session& session) {
  const Status done = InitAll(session.backend);
  if (!done) return session.console.SayError(done.error());
  const Mending mending = MendWhatIsDeclared(session);
  session.console.PrintLine(session.json ? ToJson(session.backend, mending)
                                         : ToText(session.backend, mending));
  session.console.Flush();
  return ExitCodeOf(mending.checks);
}

}  // namespace fanfold
