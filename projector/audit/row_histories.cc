#include "projector/audit/row_histories.h"

#include <fmt/format.h>
#include <utility>

#include "common/ports/applied_reader.h"

namespace fanfold::projector {

RowHistories::RowHistories(Projection projection, EventLog& log, ScanPace& pace,
                           std::int32_t partitions, const std::set<RecordKey>& keys)
    : projection_(projection), log_(log), pace_(pace), partitions_(partitions) {
  for (const RecordKey& key : keys) {
    moves_[key];
    scans_[PartitionOf(key.subject, partitions)];
  }
}

void RowHistories::Keep(const SaidRecord& said, const LogRecord& record) {
  if (!said.moves) return;
  const auto kept = moves_.find(said.key);
  if (kept == moves_.end()) return;
  const RowState before = kept->second.empty() ? RowState() : kept->second.back().to.state;
  if (!Moves(KindOf(projection_), said, before)) return;
  kept->second.push_back({said.event, {said.state, std::string(record.value.value_or(""))}});
}

Status RowHistories::ReadOn() {
  if (reader_ == nullptr) {
    Result<std::unique_ptr<LogReader>> reader = NewAppliedReader(log_, projection_.stream());
    if (!reader) return Forward(reader);
    reader_ = std::move(*reader);
  }
  const auto keep = [this](const SaidRecord& said, const LogRecord& record) { Keep(said, record); };
  for (auto& [partition, scan] : scans_) {
    if (!scan) scan.emplace(projection_, log_, *reader_, pace_, partitions_, partition);
    if (Status read = scan->ReadOn(keep); !read) return read;
  }
  return {};
}

Result<RowToBe> RowHistories::At(const RecordKey& key, Offset position,
                                 std::span<const OutboxRow> outbox) {
  const Partition partition = PartitionOf(key.subject, partitions_);
  RecordScan& scan = *scans_.at(partition);
  if (position > scan.next_event()) {
    std::vector<OutboxRow> of_partition;
    for (const OutboxRow& row : outbox) {
      if (row.partition == partition) of_partition.push_back(row);
    }
    scan.ReadOutbox(of_partition, [this](const SaidRecord& said, const LogRecord& record) {
      Keep(said, record);
    });
  }
  if (position > scan.next_event()) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("partition {} has folded events below {}, the topics hold outcomes "
                            "below {}",
                            partition.value, position.value, scan.next_event().value));
  }
  RowToBe row;
  for (const Moved& move : moves_.at(key)) {
    if (move.event < position) row = move.to;
  }
  return row;
}

}  // namespace fanfold::projector
