// User-events for the profiles that follow them.
#pragma once

#include <vector>

#include "reader/freshness/topic_feed.h"
#include "reader/profiles/profile_cache.h"

namespace fanfold::reader {

class ProfileFeed final : public TopicFeed {
 public:
  // `cache` outlives this.
  explicit ProfileFeed(ProfileCache& cache) : cache_(cache) {}

  [[nodiscard]] std::string_view what() const override { return "user events"; }
  [[nodiscard]] Projection begins_with() const override { return projections::kProfiles; }
  [[nodiscard]] const ReaderPosition& position() const override { return cache_; }
  void Start(const Placement& placement, const std::vector<Offset>& next) override;
  // A repeat is dropped, a gap loses the place. An unreadable record is passed over; its lane, too,
  // passes it over, and parks it.
  [[nodiscard]] Status Take(std::span<const LogRecord> records) override;
  // The cache bounds itself.
  void Trim(Partition /*partition*/, Offset /*below*/) override {}
  void Stop() override { cache_.Stop(); }

 private:
  ProfileCache& cache_;
  std::int32_t partitions_ = 0;
  std::vector<Offset> next_;  // by partition
};

}  // namespace fanfold::reader
