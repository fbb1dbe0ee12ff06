#include "tests/simulation/ledger.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "common/relation/codec.h"
#include "projector/runtime/outbox_codec.h"

namespace fanfold::simulation {
namespace {

bool MovesRow(const Outcome& outcome) {
  return outcome.kind == OutcomeKind::kFollowed || outcome.kind == OutcomeKind::kUnfollowed;
}

std::size_t IndexOf(Offset offset) { return static_cast<std::size_t>(offset.value); }
Offset SizeOf(std::size_t size) { return Offset(static_cast<std::int64_t>(size)); }

std::string Different(std::string_view what, const Decision& one, std::string_view other) {
  return fmt::format("{}: {} and {}", what, one.value, other);
}

}  // namespace

Offset Ledger::decided(Partition partition) const { return SizeOf(Of(partition).decisions.size()); }
Offset Ledger::published(Partition partition) const { return Of(partition).published; }
const Decision& Ledger::At(Partition partition, Offset event) const {
  return Of(partition).decisions.at(IndexOf(event));
}

Ledger::Complaint Ledger::Add(Line& line, Offset event, Decision decision) {
  if (event > SizeOf(line.decisions.size())) {
    return fmt::format("event {} was decided, the one before it was not", event.value);
  }
  if (event < SizeOf(line.decisions.size())) {
    const Decision& known = line.decisions[IndexOf(event)];
    if (known.value == decision.value) return std::nullopt;
    return Different("decided twice, differently", known, decision.value);
  }
  const Outcome& outcome = decision.outcome;
  if (MovesRow(outcome)) moves_[{outcome.subject, outcome.object}].push_back(outcome);
  line.decisions.push_back(std::move(decision));
  return std::nullopt;
}

Ledger::Complaint Ledger::Decided(const OutboxRow& row, FollowLimit limit) {
  std::string_view rest = row.outcomes;
  for (Offset event = row.first; event < row.next; event = Next(event)) {
    const std::optional<projector::OutboxRecord> record = projector::TakeOutboxRecord(rest);
    if (!record) return "an outbox row ends early";
    const auto outcome = ReadOutcomeRecord(record->value, row.partition);
    if (!outcome || outcome->position.offset != event) {
      return fmt::format("outbox of event {} holds {}", event.value, record->value);
    }
    Decision decision{*outcome, std::string(record->key.value_or("")), std::string(record->value),
                      limit};
    if (Complaint wrong = Add(Of(row.partition), event, std::move(decision))) return wrong;
  }
  return std::nullopt;
}

Ledger::Complaint Ledger::Published(const LogRecord& record) {
  Line& line = Of(record.partition);
  const std::string_view value = record.value.value_or("");
  const auto outcome = ReadOutcomeRecord(value, record.partition);
  if (!outcome) return fmt::format("the outcome topic holds {}", value);
  const Offset event = outcome->position.offset;
  if (event > line.published) {
    return fmt::format("gap in the outcomes of partition {}: {} where {} was due",
                       record.partition.value, event.value, line.published.value);
  }
  if (event >= SizeOf(line.decisions.size())) {
    return fmt::format("published, and no transaction decided it: {}", value);
  }
  const Decision& known = line.decisions[IndexOf(event)];
  if (known.value != value) return Different("published differently", known, value);
  if (known.key != record.key) return Different("published with another key", known, *record.key);
  line.published = std::max(line.published, Next(event));
  return std::nullopt;
}

void Ledger::Forget(Partition partition, Offset from) {
  Line& line = Of(partition);
  const Offset kept = std::max(from, line.published);
  while (SizeOf(line.decisions.size()) > kept) {
    const Outcome& last = line.decisions.back().outcome;
    if (MovesRow(last)) moves_[{last.subject, last.object}].pop_back();
    line.decisions.pop_back();
  }
}

Edge Ledger::RowAt(UserId subject, UserId object, Offset end) const {
  const auto found = moves_.find({subject, object});
  if (found == moves_.end()) return {};
  const std::vector<Outcome>& moves = found->second;
  const auto next = std::ranges::lower_bound(
      moves, end, {}, [](const Outcome& outcome) { return outcome.position.offset; });
  if (next == moves.begin()) return {};
  const Outcome& last = *std::prev(next);
  return {last.kind == OutcomeKind::kFollowed, last.since_ms,
          Version(last.position.offset.value + 1)};
}

}  // namespace fanfold::simulation
