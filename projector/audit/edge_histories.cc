#include "projector/audit/edge_histories.h"

#include <fmt/format.h>
#include <utility>

namespace fanfold {

EdgeHistories::EdgeHistories(EventLog& log, ScanPace& pace, const Placement& placement,
                             const std::set<Follow>& follows)
    : log_(log), pace_(pace), placement_(placement) {
  for (const Follow& follow : follows) {
    outcomes_[follow];
    scans_[placement.PartitionOf(follow.subject)];
  }
}

void EdgeHistories::Keep(const Outcome& outcome) {
  if (!MovesEdge(outcome)) return;
  const auto kept = outcomes_.find({outcome.subject, outcome.object});
  if (kept != outcomes_.end()) kept->second.push_back(outcome);
}

Status EdgeHistories::ReadOn() {
  if (reader_ == nullptr) {
    Result<std::unique_ptr<LogReader>> reader = log_.NewReader(topics::kRelationOutcomes);
    if (!reader) return Forward(reader);
    reader_ = std::move(*reader);
  }
  for (auto& [partition, scan] : scans_) {
    if (!scan) scan.emplace(log_, *reader_, pace_, partition);
    Status read = scan->ReadOn([this](const Outcome& outcome) { Keep(outcome); });
    if (!read) return read;
  }
  return {};
}

Result<Edge> EdgeHistories::At(const Follow& follow, Offset position,
                               std::span<const OutboxRow> outbox) {
  const Partition partition = placement_.PartitionOf(follow.subject);
  OutcomeScan& scan = *scans_.at(partition);
  if (position > scan.next_event()) {
    std::vector<OutboxRow> of_partition;
    for (const OutboxRow& row : outbox) {
      if (row.partition == partition) of_partition.push_back(row);
    }
    scan.ReadOutbox(of_partition, [this](const Outcome& outcome) { Keep(outcome); });
  }
  if (position > scan.next_event()) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("partition {} has folded events below {}, the topics hold outcomes "
                            "below {}",
                            partition.value, position.value, scan.next_event().value));
  }
  Edge edge;
  for (const Outcome& outcome : outcomes_.at(follow)) {
    if (outcome.position.offset < position) edge = Apply(edge, outcome).edge;
  }
  return edge;
}

}  // namespace fanfold
