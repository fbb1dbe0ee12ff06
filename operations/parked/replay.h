// Decides which parked records may be appended again. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/ports/event_log.h"
#include "common/relation/event.h"
#include "common/stream/slot.h"
#include "operations/log/record_reader.h"

namespace fanfold::operations {

// A parked record that this build can read.
struct ReplayCandidate {
  Position parked;
  std::int64_t appended_ms = 0;
  Event event;                          // as the record says it
  Partition home;                       // where its subject's events belong
  bool asked = true;                    // else it only stands in the way of older ones
  std::optional<Position> replayed_as;  // it was appended again already
  std::optional<Position> later;        // a later event of the same edge
};

struct CannotReplay {
  bool refused = false;  // it can be read, and must not be appended; else it cannot be read
  std::string why;       // and what to do
};

// The record's key and partition do not matter: the value says whose event it is.
[[nodiscard]] std::expected<ReplayCandidate, CannotReplay> CandidateOf(const StoredRecord& record,
                                                                       std::int32_t partitions);

// May a record of that topic be one to replay that was parked for this reason? Only its value says.
[[nodiscard]] bool MayBeReplayed(Topic topic, ParkReason reason);

// Fills in `later` where another candidate is a later event of the same edge.
void CompareCandidates(std::span<ReplayCandidate> candidates);

// Fills in what the home partition holds: later events of the same edges, and replays.
class ReplayWatch {
 public:
  // `candidates` outlive it and stay where they are. Takes those that are asked for and belong in
  // `home`.
  ReplayWatch(std::span<ReplayCandidate> candidates, Partition home);

  // Where the scan of the home partition, which holds records from `begin` on, has to begin so that
  // it misses nothing later.
  [[nodiscard]] Offset FirstOf(Offset begin) const;
  // A record of the home partition.
  void See(const LogRecord& record);

 private:
  std::vector<ReplayCandidate*> candidates_;
  Partition home_;
  std::map<EdgeKey, std::vector<ReplayCandidate*>> by_edge_;
  std::map<Position, ReplayCandidate*> by_position_;
};

// Why this one must not be appended; nothing when it may.
[[nodiscard]] std::optional<std::string> RefusalOf(const ReplayCandidate& candidate);

// The event to append after a scan of the home partition that reached `end`. It is rejected if an
// event that the scan did not see has changed the edge; one that changed nothing does not hold it
// back.
[[nodiscard]] Event ReplayOf(const ReplayCandidate& candidate, Offset end, std::string event_id);

}  // namespace fanfold::operations
