// Counts the decisions about the events of an import.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "operations/base/context.h"
#include "operations/lanes/lanes.h"
#include "operations/log/import_ids.h"
#include "operations/log/told_outcome.h"

namespace fanfold::operations {

// Events that were rejected, or parked, for one reason.
struct RefusedEvents {
  static constexpr std::size_t kFirstMax = 20;
  struct Event {
    std::int64_t line = 0;
    std::array<ToldOutcome::Id, 2> of;
  };

  std::string_view kind;
  std::string_view reason;
  std::int64_t count = 0;
  std::vector<Event> first;  // at most kFirstMax
};

enum class DecidedEnd : std::uint8_t {
  kAll = 1,
  kLate = 2,    // nothing was decided for too long
  kHalted = 3,  // a lane that has to decide has halted: it goes on when what is wrong is mended
  kInterrupted = 4,
  kFailed = 5,  // by what no waiting mends
};

struct ImportDecided {
  DecidedEnd end = DecidedEnd::kAll;
  std::int64_t events = 0;                                       // that are decided
  std::vector<std::pair<std::string_view, std::int64_t>> taken;  // of each of TakenKinds
  std::vector<RefusedEvents> refused;                            // of each kind and reason
  std::vector<LaggingLane> lagging;  // that had to decide still, where the end is not kAll
  std::string unreachable;           // why the last look failed; empty when it did not

  // How many are "rejected", or "parked".
  [[nodiscard]] std::int64_t refused_as(std::string_view kind) const;
};

// Reads the outcomes of an import's events: they stand behind the ends that their topic had before
// the first append, in the order of the lines. Keeps a line a partition, however long the file is.
// One thread at a time.
class ImportOutcomes {
 public:
  // Looks at the ends. `context` and `log` outlive it. Requires: the stream has outcomes, nothing
  // is appended yet. Errors: ReadEnds'.
  [[nodiscard]] static Result<ImportOutcomes> Begin(Context& context, EventLog& log, Stream stream);

  // The line's event is appended to the partition; lines come in order.
  void Expect(Partition partition, std::int64_t line) {
    last_lines_[static_cast<std::size_t>(partition.value)] = line;
    ++events_;
  }

  // Waits until every line that is expected is decided, or nothing has been for silence_max_ms.
  // A paused lane, brokers or a database that are away, are waited for; a lane that stands is noted
  // at once. Requires: all of them are in the log.
  [[nodiscard]] ImportDecided Wait(const ImportIds& ids, std::int64_t silence_max_ms);

 private:
  ImportOutcomes(Context& context, EventLog& log, Stream stream, LogEnds begins)
      : context_(context),
        log_(log),
        stream_(stream),
        begins_(std::move(begins)),
        last_lines_(begins_.size()) {}

  Context& context_;
  EventLog& log_;
  Stream stream_;
  LogEnds begins_;                        // of the outcomes
  std::vector<std::int64_t> last_lines_;  // by partition; 0: none
  std::int64_t events_ = 0;
};

}  // namespace fanfold::operations
