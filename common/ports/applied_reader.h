// Reads what appliers read: whole outcomes, or the events of a stream where nothing is decided.
#pragma once

#include <memory>

#include "common/ports/event_log.h"
#include "common/ports/outcome_cut.h"

namespace fanfold {

// Partitions, offsets and bounds are those of stream.applied(). Where the stream's outcomes are
// published cut, their values come joined with the events, which costs a reader of both topics.
// `log` outlives it. Errors: the log's.
[[nodiscard]] Result<std::unique_ptr<LogReader>> NewAppliedReader(
    EventLog& log, Stream stream, const ReaderOptions& options = {});

// The same of any two topics. A record is held back until its event has come, and with it those
// behind it in its partition; one whose event the log does not hold comes as it was published. A
// Poll blocks for at most twice timeout_ms and, rarely, for a question for bounds.
[[nodiscard]] Result<std::unique_ptr<LogReader>> NewJoiningReader(EventLog& log, Topic published,
                                                                  Topic events,
                                                                  const OutcomeCut& cut,
                                                                  const ReaderOptions& options);

}  // namespace fanfold
