// Whether the log is the one that a worker's lanes have folded.
#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "projector/runtime/shard_worker.h"

namespace fanfold::projector {

std::vector<Lane*> ShardWorker::Proved(std::span<Lane* const> lanes) {
  std::vector<Lane*> starting;
  std::vector<Lane*> deciding;
  const Stream stream = fold_.projection().stream();
  for (Lane* lane : AskBounds(stream.applied(), lanes, &Lane::outcomes_held)) {
    (lane->deciding ? deciding : starting).push_back(lane);
  }
  deciding = AskBounds(stream.events(), deciding, &Lane::events_held);
  std::ranges::copy(Prove(stream.events(), deciding, &Lane::events_held),
                    std::back_inserter(starting));
  return Prove(stream.applied(), starting, &Lane::outcomes_held);
}

// Returns those whose log it is; the others halt, or are taken again where the log does not say.
std::vector<Lane*> ShardWorker::Prove(Topic topic, std::span<Lane* const> lanes,
                                      LogBounds Lane::* held) {
  std::vector<Lane*> proved;
  std::vector<Lane*> looking;
  std::vector<MarkAsked> asked;
  for (Lane* lane : lanes) {
    const std::optional<RecordMark> mark = MarkOf(lane->draft, lane->deciding, topic);
    (mark ? looking : proved).push_back(lane);
    if (mark) asked.push_back({lane->id.partition, *mark, lane->*held});
  }
  const std::vector<Result<MarkFound>> found = marks_.Look(topic, asked);
  for (std::size_t i = 0; i < looking.size(); ++i) {
    if (!found[i]) {
      TakeAgain(asked[i].partition, std::unexpected(found[i].error()));
      continue;
    }
    looking[i]->TakeProof(topic, *found[i]);
    if (!looking[i]->halt) proved.push_back(looking[i]);
  }
  return proved;
}

}  // namespace fanfold::projector
