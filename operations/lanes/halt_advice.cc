#include "operations/lanes/halt_advice.h"

#include <fmt/format.h>
#include <string_view>

#include "operations/lanes/lanes.h"

namespace fanfold::operations {
namespace {

struct Advice {
  std::string_view reason;
  std::string_view text;
  bool is_then_resumed = true;
};

// By the names of common/ports/halt_reason.h.
constexpr Advice kAdvice[] = {
    {"retention_gap",
     "the topic begins above the lane's position: records were deleted before they were folded. "
     "Set retention to unlimited; restore the topic, or restore tables from a backup that is "
     "younger than what was deleted"},
    {"log_truncated",
     "the topic ends below the lane's position: it was truncated, or deleted and created again, or "
     "a log was imported while projectors ran. That import has to be made anew, into new topics "
     "and tables. If the log is a new one, start with new tables; if its tail was lost, bring it "
     "back, "
     "or restore the tables from a backup older than that: a rebuild does not help"},
    {"log_mismatch",
     "the last record that the lane knows is not the one that stands there: this is another log. "
     "New log, new tables; or point the configuration at the right one"},
    {"log_gap",
     "offsets of a partition are not dense: the topic was compacted or written by "
     "transactions. Neither may be; see `fanfold doctor`"},
    {"outcomes_truncated",
     "outcomes that were decided are neither in the topic nor in the outbox. Was the build rolled "
     "back: roll the newer one out again and step back with {rewind}. Was the topic's "
     "tail lost: bring it back, or else restore the tables from a backup older than the loss, and "
     "what nobody has is decided again"},
    {"outcome_gap",
     "an outcome of a later event came first: somebody else wrote into the outcome "
     "topic. Find out who; `fanfold tail --outcomes` shows it"},
    {"outcome_unreadable",
     "an outcome cannot be read by this build, see `fanfold parked list`. Roll the newer build out "
     "here too, and step back behind it with {rewind}, since the lane has passed it"},
    {"published_ahead",
     "more was noted as published than was decided: an earlier build decided events a second time "
     "after a rewind. Resumed, the lane looks for its outcomes from the topic's beginning on, and "
     "halts with outcomes_truncated if some were lost"},
    {"batch_refused",
     "the database does not take what the record at the lane's position leads to; the projector's "
     "log says why (`batch refused`). `max_allowed_packet` of a server has to be 4 MB at least"},
    {"outcome_refused",
     "Kafka does not take an outcome of this partition, and never will as it is set: "
     "`max.message.bytes` of relation-outcomes has to be 1 MB at least"},
    {"other_generations",
     "the shard was restored from before what the catalog reads. `fanfold rebuild {projection}` "
     "loads what it lacks, on this shard alone; then `fanfold rebuild retire {projection}` drops "
     "what it has besides",
     false},
    {"two_deciders",
     "two generations decide about the same partition, as after a restore of one shard from before "
     "a promotion. Restore all shards to one moment"},
};

}  // namespace

std::string AdviceFor(const LaneStatus& lane) {
  const std::string resume = fmt::format("`fanfold lane resume {} --generation {}`",
                                         NameOf(lane.lane), lane.lane.generation.value);
  // From the first event on: slow and always far enough.
  const std::string rewind = fmt::format("`fanfold lane rewind {} --to 0 --generation {}`",
                                         NameOf(lane.lane), lane.lane.generation.value);
  switch (lane.state) {
    case LaneState::kRunning:
      return {};
    case LaneState::kPaused:
      return fmt::format("paused by an operator; {} lets it go on", resume);
    case LaneState::kHalted:
      break;
  }
  for (const Advice& advice : kAdvice) {
    if (lane.state_reason != advice.reason) continue;
    const std::string text = fmt::format(fmt::runtime(advice.text), fmt::arg("rewind", rewind),
                                         fmt::arg("projection", ToString(lane.lane.projection)));
    return advice.is_then_resumed ? text + "; then " + resume : text;
  }
  return "mend the cause, then " + resume;
}

}  // namespace fanfold::operations
