// Verifies the tables again and again in the background, slowly, and mends what it finds, so that
// compensation happens without anyone asking.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/projection_reader.h"
#include "common/ports/table_operations.h"
#include "common/ports/table_snapshot.h"
#include "projector/audit/inbox_audit.h"
#include "projector/audit/verifier.h"

namespace fanfold::projector {

enum class AuditMode : std::uint8_t {
  kRepair = 1,
  kReport = 2,  // counts and logs what differs
  kOff = 3,
};
// "repair", "report", "off"
[[nodiscard]] std::optional<AuditMode> ParseAuditMode(std::string_view text) noexcept;

struct AuditorOptions {
  AuditMode mode = AuditMode::kRepair;
  std::int64_t rows_per_second = 20'000;  // rows and records read
  std::int64_t pause_ms = 10'000;         // between two passes, and before the first
  std::int64_t patience_ms = 600'000;     // how long a pass waits at most for lanes far behind
};

// How the auditor reaches the deployment; called on its thread.
struct AuditorPorts {
  EventLog& log;
  std::function<Result<std::unique_ptr<ProjectionReader>>(Shard)> open_reader;
  std::function<Result<std::unique_ptr<TableSnapshot>>(Shard)> open_snapshot;
  std::function<Result<std::unique_ptr<TableOperations>>(Shard)> open_operations;
  Shape shape;  // what the others can open
  // Opens the store of inboxes, which go with feed state; empty: inboxes are left out.
  std::function<Result<std::unique_ptr<LaneStore>>(Shard)> open_store = {};
};

class Auditor {
 public:
  // Lanes with more events before them, over all partitions, are far behind: they need log and
  // tables more than a pass does.
  static constexpr std::int64_t kBehindEventsMax = 20'000;

  // Audits these projections' tables while `is_ours()` holds, so that of several processes one does
  // it, and while the log is the one that they were folded from. Any thread may call `is_ours`.
  // Ports and metrics outlive this.
  Auditor(AuditorPorts ports, std::vector<Projection> projections, std::function<bool()> is_ours,
          const AuditorOptions& options, Metrics& metrics);
  // Stops; blocks for as long as a statement of the ports may take.
  ~Auditor();
  Auditor(const Auditor&) = delete;
  Auditor& operator=(const Auditor&) = delete;

 private:
  struct Series;

  void Run(const std::stop_token& stop);
  [[nodiscard]] bool LanesAreFarBehind() const;
  [[nodiscard]] Status Pass(ScanPace& pace);
  [[nodiscard]] Status ProveLog(const ReadGenerations& read);
  [[nodiscard]] Result<VerifyReport> Verify(const AuditPorts& ports, InboxAudit& inboxes,
                                            const ReadGenerations& read) const;
  [[nodiscard]] Status Mend(const AuditPorts& ports, InboxAudit& inboxes,
                            const ReadGenerations& read, const VerifyReport& report);

  AuditorPorts ports_;
  LogProof proof_;
  const std::vector<Projection> projections_;
  const std::function<bool()> is_ours_;
  const AuditorOptions options_;
  std::unique_ptr<Series> series_;
  std::jthread thread_;
};

}  // namespace fanfold::projector
