// Shared by verify, repair and rebuild: the audit of a deployment, its progress told as it goes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "common/ports/lane.h"
#include "operations/base/context.h"
#include "projector/audit/inbox_audit.h"
#include "projector/audit/repairer.h"
#include "projector/audit/verifier.h"

namespace fanfold::operations {

// Tells how far an audit is, holds it to a rate, and stops it when that is wished.
class ToldPace final : public projector::ScanPace {
 public:
  using Told = std::function<void(LoadProgress)>;

  // rows_per_second 0: as fast as it goes. `told` hears once a second what is shown.
  ToldPace(Context& context, std::int64_t rows_per_second, Told told = {})
      : context_(context),
        rows_per_second_(rows_per_second),
        told_(std::move(told)),
        progress_(context) {}

  // How many rows and records there will be, about; may be said again.
  void Expect(std::int64_t items) { total_ = items; }
  [[nodiscard]] bool Read(std::int64_t items) override;
  void Clear() { progress_.Clear(); }

 private:
  static constexpr std::int64_t kTellMs = 1000;

  Context& context_;
  const std::int64_t rows_per_second_;
  const Told told_;
  Stretch progress_;
  std::int64_t told_ms_ = 0;
  std::int64_t total_ = 0;
  std::int64_t read_ = 0;
};

// A deployment as an audit sees it.
struct AuditedTables {
  std::shared_ptr<EventLog> log;
  Deployment deployment;
  std::shared_ptr<LogProof> proof = std::make_shared<LogProof>(*log);

  // The ports of an audit of generations that are where `placement` says.
  [[nodiscard]] projector::AuditPorts PortsFor(Context& context, const Placement& placement,
                                               projector::ScanPace& pace) const;
  // The ports of an audit of its inboxes; this outlives it.
  [[nodiscard]] projector::InboxAuditPorts InboxPortsFor(Context& context,
                                                         projector::ScanPace& pace) const;
};
// Errors: ReadDeployment's, CheckTopic's; the ports'.
[[nodiscard]] Result<AuditedTables> OpenAudited(Context& context);

// Is the log the one that the tables were folded from, as far as this stream goes? Errors:
// LogProof's; the ports'.
[[nodiscard]] Status ProveLog(Context& context, const AuditedTables& tables, Stream stream);

[[nodiscard]] Result<projector::VerifyReport> VerifyAll(Context& context,
                                                        const AuditedTables& tables,
                                                        ToldPace& pace);
[[nodiscard]] Result<projector::VerifyReport> VerifyUsers(Context& context,
                                                          const AuditedTables& tables,
                                                          ToldPace& pace,
                                                          const std::set<UserId>& users);

}  // namespace fanfold::operations
