#include "common/base/metrics.h"

#include <gtest/gtest.h>
#include <string>

namespace fanfold {
namespace {

bool Has(const Metrics& metrics, const std::string& line) {
  return ("\n" + metrics.Text()).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, TheSameNameAndLabelsAreTheSameSeries) {
  Metrics metrics;
  Counter& first = metrics.GetCounter("x_total", "Help.", {{"a", "1"}, {"b", "2"}});
  Counter& same = metrics.GetCounter("x_total", "Help.", {{"b", "2"}, {"a", "1"}});
  Counter& other = metrics.GetCounter("x_total", "Help.", {{"a", "2"}, {"b", "2"}});
  EXPECT_EQ(&first, &same);
  EXPECT_NE(&first, &other);
}

TEST(Metrics, TextHasEverySeriesWithItsHelp) {
  Metrics metrics;
  metrics.GetCounter("x_total", "What x is.", {{"code", "y"}}).Add(2);
  metrics.GetGauge("g", "A gauge.").Set(-1);
  metrics.GetSeconds("s_seconds", "A time.").Observe(0.003);
  EXPECT_TRUE(Has(metrics, "# HELP x_total What x is."));
  EXPECT_TRUE(Has(metrics, "# TYPE x_total counter"));
  EXPECT_TRUE(Has(metrics, "x_total{code=\"y\"} 2")) << metrics.Text();
  EXPECT_TRUE(Has(metrics, "g -1"));
  EXPECT_TRUE(Has(metrics, "s_seconds_bucket{le=\"0.0025\"} 0"));
  EXPECT_TRUE(Has(metrics, "s_seconds_bucket{le=\"0.005\"} 1"));
  EXPECT_TRUE(Has(metrics, "s_seconds_count 1"));
}

}  // namespace
}  // namespace fanfold
