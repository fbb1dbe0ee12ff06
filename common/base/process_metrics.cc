#include "common/base/process_metrics.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace fanfold {
namespace {

// Of /proc/self/stat (proc(5)), behind the name, which may hold anything.
struct Stat {
  double cpu_seconds = 0;
  double started_ticks = 0;  // since the machine booted
  double virtual_bytes = 0;
  double resident_pages = 0;
};
constexpr int kStateField = 3;
constexpr int kUserTicksField = 14;
constexpr int kSystemTicksField = 15;
constexpr int kStartField = 22;
constexpr int kVirtualField = 23;
constexpr int kResidentField = 24;

double TicksPerSecond() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

std::optional<Stat> ReadStat() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state;
  fields >> state;
  Stat stat;
  double value = 0;
  double cpu_ticks = 0;
  for (int field = kStateField + 1; field <= kResidentField && fields >> value; ++field) {
    if (field == kUserTicksField || field == kSystemTicksField) cpu_ticks += value;
    if (field == kStartField) stat.started_ticks = value;
    if (field == kVirtualField) stat.virtual_bytes = value;
    if (field == kResidentField) stat.resident_pages = value;
  }
  if (!fields) return std::nullopt;
  stat.cpu_seconds = cpu_ticks / TicksPerSecond();
  return stat;
}

double Seconds(clockid_t clock) {
  constexpr double kNanos = 1e9;
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / kNanos;
}

// When the machine booted, since 1970. Not of /proc/stat, which hardened units do not show.
double BootTime() { return Seconds(CLOCK_REALTIME) - Seconds(CLOCK_BOOTTIME); }

}  // namespace

ProcessMetrics::ProcessMetrics(Metrics& metrics)
    : cpu_seconds_(metrics.GetCounter("process_cpu_seconds_total",
                                      "CPU time that the process has taken, in seconds")),
      resident_bytes_(
          metrics.GetGauge("process_resident_memory_bytes", "Memory of the process in RAM")),
      virtual_bytes_(
          metrics.GetGauge("process_virtual_memory_bytes", "Address space of the process")),
      open_fds_(metrics.GetGauge("process_open_fds", "Descriptors that the process has open")),
      max_fds_(metrics.GetGauge("process_max_fds", "Descriptors that the process may have open")) {
  metrics
      .GetGauge("fanfold_build_info", "1; the labels say what was built",
                {{"version", FANFOLD_VERSION}})
      .Set(1);
  Gauge& started = metrics.GetGauge("process_start_time_seconds",
                                    "When the process started, in seconds since 1970");
  const std::optional<Stat> stat = ReadStat();
  if (stat) started.Set(BootTime() + stat->started_ticks / TicksPerSecond());
}

void ProcessMetrics::Update() {
  const std::lock_guard lock(mutex_);
  if (const std::optional<Stat> stat = ReadStat()) {
    cpu_seconds_.Add(std::max(0.0, stat->cpu_seconds - cpu_seconds_.Value()));
    virtual_bytes_.Set(stat->virtual_bytes);
    resident_bytes_.Set(stat->resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  std::error_code unreadable;
  const std::filesystem::directory_iterator fds("/proc/self/fd", unreadable);
  if (!unreadable) open_fds_.Set(static_cast<double>(std::distance(begin(fds), end(fds)) - 1));
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) max_fds_.Set(static_cast<double>(limit.rlim_cur));
}

}  // namespace fanfold
