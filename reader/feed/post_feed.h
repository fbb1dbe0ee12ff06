// Post-outcomes for the posts that follow them.
#pragma once

#include <string_view>
#include <vector>

#include "common/base/metrics.h"
#include "reader/feed/live_posts.h"
#include "reader/feed/post_contents.h"
#include "reader/freshness/expected_outcome.h"
#include "reader/freshness/topic_feed.h"

namespace fanfold::reader {

class PostFeed final : public TopicFeed {
 public:
  // Begins with the lanes of `posts`. The others outlive this.
  PostFeed(Projection posts, LivePosts& live, PostContents& contents, Metrics& metrics);

  [[nodiscard]] std::string_view what() const override { return "outcomes of posts"; }
  [[nodiscard]] Projection begins_with() const override { return posts_; }
  [[nodiscard]] const ReaderPosition& position() const override { return live_; }
  void Start(const Placement& placement, const std::vector<Offset>& next) override;
  // A repeat is dropped; a gap, and an outcome that cannot be read, lose the place.
  [[nodiscard]] Status Take(std::span<const LogRecord> records) override;
  void Trim(Partition partition, Offset below) override { live_.Trim(partition, below); }
  void Stop() override { live_.Stop(); }

 private:
  const Projection posts_;
  LivePosts& live_;
  PostContents& contents_;
  const PassedOver passed_over_;
  std::vector<Offset> next_;  // the reader's position, by partition
};

}  // namespace fanfold::reader
