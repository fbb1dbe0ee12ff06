#include "common/ports/edge_kind.h"

#include "common/relation/codec.h"

namespace fanfold {
namespace {

void ReadEdges(std::span<const LogRecord> records, std::int32_t /*partitions*/, SaidRecords& said) {
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

DifferenceKind CompareEdges(const RowState& found, const RowState& expected) {
  const Edge is = EdgeOf(found);
  const Edge should_be = EdgeOf(expected);
  if (is.active != should_be.active) return kWrongState;
  if (is.since_ms != should_be.since_ms) return kWrongSince;
  return DifferenceKind::kWrongVersion;
}

}  // namespace

constexpr RowKind kEdges{.read = ReadEdges,
                         .describe = [](const RowState& state) { return Describe(EdgeOf(state)); },
                         .compare = CompareEdges,
                         .is_counted = [](const RowState& state) { return EdgeOf(state).active; }};

}  // namespace fanfold
