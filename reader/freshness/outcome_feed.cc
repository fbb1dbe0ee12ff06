#include "reader/freshness/outcome_feed.h"

#include <utility>

#include "common/relation/codec.h"
#include "reader/freshness/expected_outcome.h"

namespace fanfold::reader {
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
    auto outcome = ReadOutcomeRecord(record.value, record.partition);
    Result<bool> is_next = IsNext(outcome, record, next);
    if (!is_next) return Forward(is_next);
    if (!*is_next) {
      repeats_.Add(1);
      continue;
    }
    next = Next(next);
    outcomes.push_back(*std::move(outcome));
  }
  if (!outcomes.empty()) live_.Advance(outcomes);
  return {};
}

}  // namespace fanfold::reader
