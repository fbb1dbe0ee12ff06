#include "common/ports/own_log.h"

#include <string>
#include <vector>

#include "common/ports/deployment_check.h"
#include "common/ports/log_proof.h"

namespace fanfold {

Status NameLog(EventLog& log, const OpenReader& open, GenerationOperations& first,
               std::int32_t shards) {
  const Result<std::unique_ptr<ProjectionReader>> reader = open(Shard(0));
  if (!reader) return std::unexpected(reader.error());
  const Result<Catalog> catalog = (*reader)->ReadCatalog();
  if (!catalog) return std::unexpected(catalog.error());
  const Result<std::string> id = log.Id();
  if (!id) return std::unexpected(id.error());
  if (catalog->log == *id) return {};
  const LanesByShard lanes_of = AskLanes(open);
  LogProof proof(log);
  for (const Stream stream : Stream::All()) {
    const Status same =
        proof.CheckStream(stream, catalog->read, shards, lanes_of, LogProof::Asks::kMarksAlone);
    // Lanes that a release before has left learn their last records from the first log they are
    // given.
    const bool passes = same || (!catalog->log && same.error().code == ErrorCode::kNotFound);
    if (passes) continue;
    const Status named = CheckLog(log, *catalog);
    return Fail(same.error().code,
                (named ? std::string() : named.error().message + "; ") + same.error().message);
  }
  return first.NameLog(*id);
}

}  // namespace fanfold
