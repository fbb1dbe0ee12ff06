#include "reader/freshness/lane_gauges.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold::reader {
namespace {

bool Shows(const Metrics& metrics, const std::string& line) {
  return metrics.Text().find("\n" + line + "\n") != std::string::npos;
}

TEST(LaneGauges, ShowEachLaneAndTheWorstOfItsProjection) {
  Metrics metrics;
  LaneGauges gauges(metrics);
  const LaneStand lanes[] = {{projections::kFans, Partition(0), Offset(7), Offset(9), 1'500},
                             {projections::kFans, Partition(1), Offset(4), Offset(4), 0}};
  gauges.Show(lanes);
  const std::string first = R"({partition="0",projection="fans"})";
  EXPECT_TRUE(Shows(metrics, "fanfold_reader_lane_applied_events" + first + " 7"));
  EXPECT_TRUE(Shows(metrics, "fanfold_reader_lane_end_events" + first + " 9"));
  EXPECT_TRUE(Shows(metrics, "fanfold_reader_lane_lag_seconds" + first + " 1.5"));
  EXPECT_TRUE(Shows(metrics, R"(fanfold_reader_lag_seconds{projection="fans"} 1.5)"));
  EXPECT_TRUE(Shows(metrics, R"(fanfold_reader_lag_seconds{projection="posts"} 0)"));
  const LaneStand later[] = {{projections::kFans, Partition(0), Offset(9), Offset(9), 0}};
  gauges.Show(later);
  EXPECT_TRUE(Shows(metrics, "fanfold_reader_lane_applied_events" + first + " 9"));
  EXPECT_TRUE(Shows(metrics, R"(fanfold_reader_lag_seconds{projection="fans"} 0)"));
}

}  // namespace
}  // namespace fanfold::reader
