// Outcomes for the lists that follow them.
#pragma once

#include <vector>

#include "common/base/metrics.h"
#include "reader/cache/live_lists.h"
#include "reader/freshness/expected_outcome.h"
#include "reader/freshness/topic_feed.h"

namespace fanfold::reader {

class OutcomeFeed final : public TopicFeed {
 public:
  // Both outlive this.
  OutcomeFeed(LiveLists& live, Metrics& metrics);

  [[nodiscard]] std::string_view what() const override { return "outcomes"; }
  [[nodiscard]] Projection begins_with() const override { return ProjectionOf(Direction::kFans); }
  [[nodiscard]] const ReaderPosition& position() const override { return live_; }
  void Start(const Placement& placement, const std::vector<Offset>& next) override;
  // A repeat is dropped; a gap, and an outcome that cannot be read, lose the place.
  [[nodiscard]] Status Take(std::span<const LogRecord> records) override;
  void Trim(Partition partition, Offset below) override { live_.Trim(partition, below); }
  void Stop() override { live_.Stop(); }

 private:
  LiveLists& live_;
  const PassedOver passed_over_;
  std::vector<Offset> next_;  // the reader's position, by partition
};

}  // namespace fanfold::reader
