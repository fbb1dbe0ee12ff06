#include "reader/freshness/outcome_feed.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "common/relation/codec.h"

namespace fanfold::reader {
namespace {

// The outcome a record holds. Nothing for a repeat. Errors: kOutOfRange, a gap or no outcome.
Result<std::optional<Outcome>> Expect(const LogRecord& record, Offset next) {
  const auto outcome = ReadOutcomeRecord(record.value, record.partition);
  if (!outcome) {
    return Fail(ErrorCode::kOutOfRange,
                fmt::format("record {}:{} cannot be read: {}", record.partition.value,
                            record.offset.value, outcome.error().detail));
  }
  if (outcome->position.offset < next) return std::optional<Outcome>();
  if (outcome->position.offset == next) return std::optional<Outcome>(*outcome);
  return Fail(ErrorCode::kOutOfRange,
              fmt::format("outcome {} where {}:{} is next", ToString(outcome->position),
                          record.partition.value, next.value));
}

}  // namespace

OutcomeFeed::OutcomeFeed(LiveLists& live, Metrics& metrics)
    : live_(live),
      repeats_(metrics.GetCounter("fanfold_reader_repeated_outcomes_total",
                                  "Outcomes that were in the topic once more")) {}

void OutcomeFeed::Start(const Placement& placement, const std::vector<Offset>& next) {
  next_ = next;
  live_.Start(placement, next);
}

Status OutcomeFeed::Take(std::span<const LogRecord> records) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(records.size());
  for (const LogRecord& record : records) {
    Offset& next = next_[static_cast<std::size_t>(record.partition.value)];
    Result<std::optional<Outcome>> outcome = Expect(record, next);
    if (!outcome) return Forward(outcome);
    if (!*outcome) {
      repeats_.Add(1);
      continue;
    }
    next = Next(next);
    outcomes.push_back(**std::move(outcome));
  }
  if (!outcomes.empty()) live_.Advance(outcomes);
  return {};
}

}  // namespace fanfold::reader
