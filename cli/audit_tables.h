// What `fanfold verify` and `fanfold repair` share: the audit of a deployment, shown as it goes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "cli/progress.h"
#include "cli/session.h"
#include "common/ports/lane.h"
#include "projector/audit/repairer.h"
#include "projector/audit/verifier.h"

namespace fanfold {

// Shows how far an audit is, holds it to a rate, and stops it on Ctrl-C.
class ShownPace final : public ScanPace {
 public:
  using Told = std::function<void(LoadProgress)>;

  // rows_per_second 0: as fast as it goes. `told` hears once a second what is shown.
  ShownPace(Session& session, std::int64_t rows_per_second, Told told = {})
      : session_(session),
        rows_per_second_(rows_per_second),
        told_(std::move(told)),
        progress_(session.console, session.clock) {}

  // How many rows and records there will be, about; may be said again.
  void Expect(std::int64_t items) { total_ = items; }
  [[nodiscard]] bool Read(std::int64_t items) override;
  void Clear() { progress_.Clear(); }
  [[nodiscard]] std::int64_t elapsed_ms() const { return progress_.elapsed_ms(); }

 private:
  static constexpr std::int64_t kTellMs = 1000;

  Session& session_;
  const std::int64_t rows_per_second_;
  const Told told_;
  Progress progress_;
  std::int64_t told_ms_ = 0;
  std::int64_t total_ = 0;
  std::int64_t read_ = 0;
};

// A deployment as an audit sees it.
struct AuditedTables {
  std::shared_ptr<EventLog> log;
  Catalog catalog;
  Placement placement;

  [[nodiscard]] AuditPorts PortsFor(Session& session, ScanPace& pace) const;
};
// Errors: kRefused, the catalog says other partitions or shards; PlacementOn's; the ports'.
[[nodiscard]] Result<AuditedTables> OpenAudited(Session& session);

[[nodiscard]] Result<VerifyReport> VerifyAll(Session& session, const AuditedTables& tables,
                                             ShownPace& pace);

// An array of {"kind","projection","user_id","other_id","shard","detail"}; ids are null where there
// is none.
[[nodiscard]] std::string ItemsJson(std::span<const Difference> differences);
// "wrong_count fans user 7 on shard 0: count 3, 2 active rows"
[[nodiscard]] std::string ToText(const Difference& difference);

}  // namespace fanfold
