#include "projector/audit/auditor.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "common/base/logging.h"
#include "common/base/pause.h"
#include "common/ports/deployment.h"
#include "common/ports/deployment_check.h"
#include "common/ports/shown_reader.h"
#include "projector/audit/repairer.h"

namespace fanfold::projector {
namespace {

using std::chrono::steady_clock;

constexpr std::string_view kReason = "auditor";
// What is found is in the log up to so many a pass; `fanfold verify` tells all.
constexpr std::size_t kLoggedMax = 20;

// Reads no faster than it is told, and ends with the thread or when another process takes over.
class ThrottledPace final : public ScanPace {
 public:
  ThrottledPace(std::int64_t rows_per_second, const std::function<bool()>& is_ours,
                const std::stop_token& stop, Counter& items)
      : rows_per_second_(rows_per_second), is_ours_(is_ours), stop_(stop), items_(items) {}

  bool Read(std::int64_t items) override {
    read_ += items;
    items_.Add(static_cast<double>(items));
    const auto taken_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - started_)
            .count();
    const std::int64_t ahead_ms = read_ * 1000 / rows_per_second_ - taken_ms;
    if (ahead_ms > 0) PauseUnlessStopped(ahead_ms, stop_);
    return !stop_.stop_requested() && is_ours_();
  }

 private:
  const std::int64_t rows_per_second_;
  const std::function<bool()>& is_ours_;
  const std::stop_token& stop_;
  Counter& items_;
  const steady_clock::time_point started_ = steady_clock::now();
  std::int64_t read_ = 0;
};

}  // namespace

std::optional<AuditMode> ParseAuditMode(std::string_view text) noexcept {
  if (text == "repair") return AuditMode::kRepair;
  if (text == "report") return AuditMode::kReport;
  if (text == "off") return AuditMode::kOff;
  return std::nullopt;
}

struct Auditor::Series {
  Series(std::span<const Projection> projections, Metrics& metrics)
      : drift(metrics.GetCounter("fanfold_drift_total",
                                 "Rows and counts found not to be what the topics say; once for "
                                 "each pass that finds them")),
        left(metrics.GetGauge("fanfold_drift_left",
                              "Rows and counts that the last audit found and did not mend")),
        repaired(metrics.GetCounter("fanfold_repaired_total", "Rows and counts mended")),
        items(metrics.GetCounter("fanfold_audit_rows_total", "Rows and records read by audits")) {
    for (const Projection projection : projections) {
      const MetricLabels of{{"projection", std::string(ToString(projection))}};
      passes.push_back(
          &metrics.GetCounter("fanfold_audit_passes_total", "Audits that reached their end", of));
      failures.push_back(&metrics.GetCounter("fanfold_audit_failures_total",
                                             "Audits that could not come to their end", of));
    }
  }

  Counter& drift;
  Gauge& left;
  Counter& repaired;
  Counter& items;
  std::vector<Counter*> passes;  // of each projection
  std::vector<Counter*> failures;
};

Auditor::Auditor(AuditorPorts ports, std::vector<Projection> projections,
                 std::function<bool()> is_ours, const AuditorOptions& options, Metrics& metrics)
    : ports_(std::move(ports)),
      proof_(ports_.log),
      projections_(std::move(projections)),
      is_ours_(std::move(is_ours)),
      options_(options),
      series_(std::make_unique<Series>(projections_, metrics)) {
  if (options_.mode == AuditMode::kOff) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

Auditor::~Auditor() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void Auditor::Run(const std::stop_token& stop) {
  const std::chrono::milliseconds patience(options_.patience_ms);
  auto ended = steady_clock::now();
  while (true) {
    PauseUnlessStopped(options_.pause_ms, stop);
    if (stop.stop_requested()) return;
    if (!is_ours_()) {
      series_->left.Set(0);  // whoever audits tells
      continue;
    }
    if (steady_clock::now() - ended < patience && LanesAreFarBehind()) continue;
    ThrottledPace pace(options_.rows_per_second, is_ours_, stop, series_->items);
    const Status passed = Pass(pace);
    if (passed) {
      for (Counter* passes : series_->passes) passes->Add(1);
    } else if (!stop.stop_requested() && is_ours_()) {
      for (Counter* failures : series_->failures) failures->Add(1);
      LogWarning("audit failed", {{"error", passed.error().message}});
    }
    ended = steady_clock::now();
  }
}

// One partition stands for all, since users are spread evenly. What cannot be asked is left to the
// pass to tell.
bool Auditor::LanesAreFarBehind() const {
  constexpr Partition kLookedAt(0);
  Result<std::unique_ptr<ProjectionReader>> reader = ports_.open_reader(Shard(0));
  if (!reader) return false;
  const Result<Catalog> catalog = (*reader)->ReadCatalog();
  const Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
  if (!catalog || !lanes) return false;
  return std::ranges::any_of(projections_, [&](Projection projection) {
    const Result<LogBounds> bounds = ports_.log.Bounds(projection.stream().events(), kLookedAt);
    const LaneId looked_at{projection, catalog->read[projection], kLookedAt};
    const auto lane = std::ranges::find(*lanes, looked_at, &LaneStatus::lane);
    if (!bounds || lane == lanes->end() || lane->state != LaneState::kRunning) return false;
    const std::int64_t behind = bounds->end.value - lane->progress.event_offset.value;
    return behind * catalog->shape.partitions > kBehindEventsMax;
  });
}

Status Auditor::Pass(ScanPace& pace) {
  for (std::int32_t shard = 0; shard < ports_.shape.shards; ++shard) {
    Result<std::unique_ptr<ProjectionReader>> reader = ports_.open_reader(Shard(shard));
    if (!reader) return Forward(reader);
    const Status fits = (*reader)->Ping();  // whose session asks
    if (!fits) return OfShard(Shard(shard), fits.error());
  }
  Result<std::unique_ptr<ProjectionReader>> first = ports_.open_reader(Shard(0));
  if (!first) return Forward(first);
  Result<Deployment> deployment = ReadDeployment(**first, ports_.shape);
  if (!deployment) return Forward(deployment);
  if (Status same = ProveLog(deployment->read); !same) return same;
  const AuditPorts ports{ports_.log, proof_, ports_.open_snapshot, deployment->placement, pace};
  InboxAudit inboxes({ports_.open_reader, ports_.open_store, *deployment, pace});
  Result<VerifyReport> report = Verify(ports, inboxes, deployment->read);
  if (!report) return Forward(report);
  series_->left.Set(static_cast<double>(report->found));
  if (report->found == 0) return {};
  series_->drift.Add(static_cast<double>(report->found));
  for (std::size_t i = 0; i < std::min(report->differences.size(), kLoggedMax); ++i) {
    const Difference& difference = report->differences[i];
    LogWarning("drift", {{"kind", ToString(difference.kind)},
                         {"projection", ToString(difference.projection)},
                         {"user", difference.user.value},
                         {"other", difference.other.value},
                         {"shard", difference.shard.value},
                         {"detail", difference.detail}});
  }
  return options_.mode == AuditMode::kRepair ? Mend(ports, inboxes, deployment->read, *report)
                                             : Status();
}

Status Auditor::ProveLog(const ReadGenerations& read) {
  std::set<Stream> streams;
  for (const Projection projection : projections_) streams.insert(projection.stream());
  const LanesByShard lanes_of = AskLanes(ports_.open_reader);
  for (const Stream stream : streams) {
    if (Status same = proof_.CheckStream(stream, read, ports_.shape.shards, lanes_of); !same) {
      return same;
    }
  }
  return {};
}

Result<VerifyReport> Auditor::Verify(const AuditPorts& ports, InboxAudit& inboxes,
                                     const ReadGenerations& read) const {
  Result<VerifyReport> report = Verifier(ports, read, projections_).All();
  const bool are_ours = std::ranges::find(projections_, projections::kFeed) != projections_.end();
  if (!report || !are_ours || !ports_.open_store) return report;
  if (Status held = inboxes.All(*report); !held) return Forward(held);
  if (report->inboxes_skipped > 0) {
    LogWarning("inboxes are not audited: posts are not delivered into them",
               {{"inboxes", report->inboxes_skipped}});
  }
  return report;
}

Status Auditor::Mend(const AuditPorts& ports, InboxAudit& inboxes, const ReadGenerations& read,
                     const VerifyReport& report) {
  Repairer repairer(ports, ports_.open_operations, read);
  Result<RepairReport> mended = repairer.Mend(report.differences, std::string(kReason));
  if (!mended) return Forward(mended);
  const Result<std::size_t> anew = inboxes.Mend(report.differences);
  if (!anew) return std::unexpected(anew.error());
  mended->rows += *anew;
  series_->repaired.Add(static_cast<double>(mended->rows + mended->counts));
  const auto lost =
      std::ranges::count(report.differences, DifferenceKind::kNotInTopics, &Difference::kind);
  series_->left.Set(static_cast<double>(report.found - report.differences.size()) +
                    static_cast<double>(lost));
  LogInfo("repaired", {{"rows", mended->rows}, {"counts", mended->counts}});
  return {};
}

}  // namespace fanfold::projector
