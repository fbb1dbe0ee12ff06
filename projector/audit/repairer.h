// Mends what differs by folding the rows again from the topics, up to where their lanes stand,
// while the lanes stand still; never by copying one table onto the other.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/table_operations.h"
#include "projector/audit/difference.h"
#include "projector/audit/row_histories.h"
#include "projector/audit/verifier.h"

namespace fanfold::projector {

struct RepairReport {
  std::size_t rows = 0;
  std::size_t counts = 0;
  std::set<UserId> users;  // whose rows or counts were looked at
};

// Thread-compatible.
class Repairer {
 public:
  // How often a transaction is tried when the database fails it for a conflict, or when the rows
  // that it is to mend have changed before.
  static constexpr int kTriesMax = 5;

  using OpenOperations = std::function<Result<std::unique_ptr<TableOperations>>(Shard)>;

  Repairer(AuditPorts ports, OpenOperations open_operations, const ReadGenerations& generations,
           std::size_t tally_rows = TableSnapshot::kTallyRowsMax)
      : ports_(std::move(ports)),
        open_operations_(std::move(open_operations)),
        generations_(generations),
        tally_rows_(tally_rows) {}

  // Folds every row and count that a difference names, whatever is said of it, and mends those that
  // differ. kNotInTopics is left: it cannot be folded. `reason` is kept with the records. Each
  // transaction proves the log for the lanes that stand still in it. Errors: as LogProof's,
  // Verifier's and TableOperations'; what was mended before stays so.
  [[nodiscard]] Result<RepairReport> Mend(std::span<const Difference> differences,
                                          const std::string& reason);

 private:
  [[nodiscard]] Result<std::vector<RowToBe>> FoldKnown(const RepairScope& scope, Shard shard,
                                                       const RepairView& view);
  [[nodiscard]] Result<std::vector<RowToBe>> Fold(const RepairScope& scope, Shard shard,
                                                  const RepairView& view);
  [[nodiscard]] Result<RepairBase> SettledBase(const RepairScope& scope, Shard shard) const;
  [[nodiscard]] Status MendScope(TableOperations& tables, Shard shard, const RepairScope& scope,
                                 RepairReport& report);

  AuditPorts ports_;
  OpenOperations open_operations_;
  const ReadGenerations generations_;
  const std::size_t tally_rows_;
  std::map<Stream, RowHistories> histories_;
};

}  // namespace fanfold::projector
