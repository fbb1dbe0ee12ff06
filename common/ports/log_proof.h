// Whether a log is the one that tables were folded from: the last records that they know must stand
// where they stood. Ask before you write to tables or to a log on the strength of a log.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "common/ports/deployment.h"
#include "common/ports/event_log.h"
#include "common/ports/projection_reader.h"
#include "common/ports/record_marks.h"

namespace fanfold {

// The lanes of a stream that are read, or decide: by them a log is proved.
[[nodiscard]] std::vector<LaneStatus> WitnessesOf(std::span<const LaneStatus> lanes, Stream stream,
                                                  const ReadGenerations& read);

// The lanes of a shard.
using LanesByShard = std::function<Result<std::vector<LaneStatus>>(Shard)>;
// By a session of its own each time.
[[nodiscard]] LanesByShard AskLanes(OpenReader open);

// One thread at a time. A call blocks for the bounds of each topic, and MarkReader::kWaitMs behind
// the last record that came.
class LogProof {
 public:
  explicit LogProof(EventLog& log) noexcept : log_(log), marks_(log) {}

  // kMarksAlone: each mark that is known has to stand, and one has to be known. Lanes that are
  // halted or have yet to learn a mark pass, and so do marks whose record retention has deleted.
  // Asked by everybody who names the log, reads it, or appends what somebody brings.
  enum class Asks : std::uint8_t { kAll, kMarksAlone };

  // Looks for the last records that these lanes know. Errors: kRefused, one of them is halted for a
  // reason of the log, or the log has another record there, ends below it or begins above it, which
  // is told whatever else does not answer; kUnavailable, the log does not say, or a lane has yet to
  // learn its last record: it does when a projector takes it; kNotFound, the same of kMarksAlone,
  // where no lane knows one.
  [[nodiscard]] Status Check(std::span<const LaneStatus> lanes, Asks asks = Asks::kAll);

  // The same for a stream's lanes on all shards. Errors besides: those of `lanes_of`, with the
  // shard.
  [[nodiscard]] Status CheckStream(Stream stream, const ReadGenerations& read, std::int32_t shards,
                                   const LanesByShard& lanes_of, Asks asks = Asks::kAll);

 private:
  struct Known {
    RecordMark mark;
    LaneId lane;
  };
  using KnownMarks = std::map<Topic, std::map<Partition, Known>>;  // the furthest of each
  [[nodiscard]] Status CheckTopic(Topic topic, const std::map<Partition, Known>& known, Asks asks);

  EventLog& log_;
  MarkReader marks_;
};

}  // namespace fanfold
