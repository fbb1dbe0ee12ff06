#include "common/ports/edge_kind.h"

#include "common/relation/codec.h"

namespace fanfold {
namespace {

void Read(std::span<const LogRecord> records, std::int32_t /*partitions*/, SaidRecords& said) {
  for (const LogRecord& record : records) {
    const auto outcome = ReadOutcomeRecord(record.value, record.partition);
    if (!outcome) {
      said.emplace_back();
      continue;
    }
    SaidRecord& one = said.emplace_back(SaidRecord{}).value();
    one.event = outcome->position.offset;
    const EdgeChange change = Apply(Edge(), *outcome);
    if (!change.changed) continue;
    one.moves = true;
    one.key = {outcome->subject, outcome->object};
    one.state = StateOf(change.edge);
  }
}

DifferenceKind Compare(const RowState& found, const RowState& expected) {
  const Edge is = EdgeOf(found);
  const Edge should_be = EdgeOf(expected);
  if (is.active != should_be.active) return kWrongState;
  if (is.since_ms != should_be.since_ms) return kWrongSince;
  return DifferenceKind::kWrongVersion;
}

}  // namespace

constexpr RowKind kEdges{
    .read = Read,
    .describe = [](const RowState& state) { return fanfold::Describe(EdgeOf(state)); },
    .compare = Compare,
    .is_counted = [](const RowState& state) { return EdgeOf(state).active; }};

}  // namespace fanfold
