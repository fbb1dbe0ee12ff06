#include "common/base/process_metrics.h"

#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace fanfold {
namespace {

double ValueOf(const Metrics& metrics, const std::string& name) {
  const std::string text = metrics.Text();
  const std::size_t found = text.find("\n" + name + " ");
  return found == std::string::npos ? -1 : std::stod(text.substr(found + name.size() + 2));
}

TEST(ProcessMetrics, SayWhatTheProcessTakes) {
  Metrics metrics;
  ProcessMetrics process(metrics);
  process.Update();
  const double cpu_before = ValueOf(metrics, "process_cpu_seconds_total");
  const double fds_before = ValueOf(metrics, "process_open_fds");
  EXPECT_GT(ValueOf(metrics, "process_resident_memory_bytes"), 1e6);
  EXPECT_GT(ValueOf(metrics, "process_virtual_memory_bytes"),
            ValueOf(metrics, "process_resident_memory_bytes"));
  EXPECT_GT(ValueOf(metrics, "process_max_fds"), fds_before);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const double started = ValueOf(metrics, "process_start_time_seconds");
  EXPECT_GT(started, now - 3600);
  EXPECT_LT(started, now + 5);
  const std::ifstream held("/proc/self/status");
  // As much CPU time as its clock can show.
  double cpu_now = cpu_before;
  while (cpu_now == cpu_before) {
    process.Update();
    cpu_now = ValueOf(metrics, "process_cpu_seconds_total");
  }
  EXPECT_GT(cpu_now, cpu_before);
  EXPECT_EQ(ValueOf(metrics, "process_open_fds"), fds_before + 1);
}

TEST(ProcessMetrics, SayWhatWasBuilt) {
  Metrics metrics;
  const ProcessMetrics process(metrics);
  EXPECT_NE(metrics.Text().find("fanfold_build_info{version=\""), std::string::npos);
}

}  // namespace
}  // namespace fanfold
