// What was decided, and what the rows must say for it. Kept beside the run, from committed outboxes
// and the outcome topic; knows nothing of how the product folds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/relation/edge.h"
#include "common/relation/event.h"

namespace fanfold::simulation {

struct Decision {
  Outcome outcome;
  std::string key;  // of the record
  std::string value;
  FollowLimit limit;  // of whoever decided
};

class Ledger {
 public:
  // Nothing, or what is wrong.
  using Complaint = std::optional<std::string>;

  explicit Ledger(std::int32_t partitions) : lines_(static_cast<std::size_t>(partitions)) {}

  // A committed batch holds these outcomes.
  [[nodiscard]] Complaint Decided(const OutboxRow& row, FollowLimit limit);
  // The outcome topic has this record: the next one of the partition.
  [[nodiscard]] Complaint Published(const LogRecord& record);
  // Tables went back: what was decided from `from` on, and never published, never was.
  void Forget(Partition partition, Offset from);

  // Every event below has been decided; has its outcome in the topic.
  [[nodiscard]] Offset decided(Partition partition) const;
  [[nodiscard]] Offset published(Partition partition) const;
  // Requires: event < decided(partition).
  [[nodiscard]] const Decision& At(Partition partition, Offset event) const;

  // The row of subject → object once every event below `end` of its partition is in it.
  [[nodiscard]] Edge RowAt(UserId subject, UserId object, Offset end) const;

 private:
  struct Line {
    std::vector<Decision> decisions;  // by event
    Offset published;
  };
  [[nodiscard]] Line& Of(Partition partition) {
    return lines_.at(static_cast<std::size_t>(partition.value));
  }
  [[nodiscard]] const Line& Of(Partition partition) const {
    return lines_.at(static_cast<std::size_t>(partition.value));
  }
  [[nodiscard]] Complaint Add(Line& line, Offset event, Decision decision);

  std::vector<Line> lines_;
  // What moved each edge, by event; an edge's events are all in one partition.
  std::map<std::pair<UserId, UserId>, std::vector<Outcome>> moves_;
};

}  // namespace fanfold::simulation
