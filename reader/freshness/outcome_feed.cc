#include "reader/freshness/outcome_feed.h"

#include <utility>

#include "common/relation/codec.h"
#include "reader/freshness/expected_outcome.h"

namespace fanfold::reader {
OutcomeFeed::OutcomeFeed(LiveLists& live, Metrics& metrics)
    : live_(live),
      passed_over_{metrics.GetCounter("fanfold_reader_repeated_outcomes_total",
                                      "Outcomes that were in the topic once more"),
                   metrics.GetCounter("fanfold_reader_unreadable_outcomes_total",
                                      "Records among outcomes that this build cannot read")} {}

void OutcomeFeed::Start(const Placement& placement, const std::vector<Offset>& next) {
  next_ = next;
  live_.Start(placement, next);
}

Status OutcomeFeed::Take(std::span<const LogRecord> records) {
  std::vector<Outcome> outcomes;
  outcomes.reserve(records.size());
  for (const LogRecord& record : records) {
    Offset& next = next_[static_cast<std::size_t>(record.partition.value)];
    auto outcome = ReadOutcomeRecord(record.value, record.partition);
    const Result<Expected> expected = Expect(outcome, record, next);
    if (!expected) return std::unexpected(expected.error());
    if (*expected != Expected::kNext) {
      passed_over_.Count(*expected);
      continue;
    }
    next = Next(next);
    outcomes.push_back(*std::move(outcome));
  }
  if (!outcomes.empty()) live_.Advance(outcomes);
  return {};
}

}  // namespace fanfold::reader
