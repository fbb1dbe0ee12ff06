// What the topics say of chosen edges, at any position that has been read. The lanes of a live
// deployment move on while it is read, so it can read on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/lane_store.h"
#include "common/stream/slot.h"
#include "projector/audit/edge_digest.h"
#include "projector/audit/outcome_scan.h"

namespace fanfold {

class EdgeHistories {
 public:
  // The ports outlive it.
  EdgeHistories(EventLog& log, ScanPace& pace, const Placement& placement,
                const std::set<Follow>& follows);

  // To the ends that the partitions of these edges have now. Errors: OutcomeScan's.
  [[nodiscard]] Status ReadOn();

  // The edge when every event below `position` is folded, `outbox` continuing where the topic ends.
  // Requires: one of the edges it was made with. Errors: kUnavailable, more has been folded than
  // was read: read on.
  [[nodiscard]] Result<Edge> At(const Follow& follow, Offset position,
                                std::span<const OutboxRow> outbox);

 private:
  void Keep(const Outcome& outcome);

  EventLog& log_;
  ScanPace& pace_;
  const Placement placement_;
  std::unique_ptr<LogReader> reader_;  // none before the first ReadOn
  std::map<Partition, std::optional<OutcomeScan>> scans_;
  std::unordered_map<Follow, std::vector<Outcome>> outcomes_;  // that move the edge, in order
};

}  // namespace fanfold
