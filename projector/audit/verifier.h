// Proves that tables are what the topics say. Each section's rows are compared, by digest, with the
// records folded up to the very position at which they were read, so live traffic makes no
// difference. A section whose digest differs is read anew and compared row by row; counts are
// compared with rows of the same view. All projections of a stream are held to one reading of it,
// which shows that fans mirror following.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/log_proof.h"
#include "common/ports/table_snapshot.h"
#include "projector/audit/difference.h"
#include "projector/audit/record_scan.h"
#include "projector/audit/row_comparison.h"
#include "projector/audit/row_fold.h"
#include "projector/audit/section.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold::projector {

// All outlive the audit.
struct AuditPorts {
  EventLog& log;
  LogProof& proof;  // of that log
  std::function<Result<std::unique_ptr<TableSnapshot>>(Shard)> open_snapshot;
  Placement placement;
  ScanPace& pace;
};

struct VerifyReport {
  std::vector<Difference> differences;  // by projection, user, other; the first kDifferencesMax
  std::size_t found = 0;                // all of them
  std::size_t inboxes_skipped = 0;      // posts are not delivered into them now
};

// Thread-compatible. Errors of its calls: the ports'; kRefused: the topics do not begin at their
// beginning, or a lane was rewound and is not back (OpenSettled); kTimeout: stopped by the pace.
// They block as long as it takes.
class Verifier {
 public:
  // How many rows are read at one moment; a snapshot keeps the database from cleaning up.
  static constexpr std::size_t kSectionRowsMax = 1'000'000;
  // Records of a partition folded at a time, with some 80 bytes for each row; a longer partition is
  // read more often.
  static constexpr std::int64_t kFoldRecordsMax = 4'000'000;
  // Rows of differing sections compared row by row, at a time.
  static constexpr std::size_t kDrillRowsMax = 2'000'000;
  static constexpr std::size_t kDifferencesMax = 100'000;

  // Verifies these projections' tables.
  Verifier(AuditPorts ports, const ReadGenerations& generations,
           std::vector<Projection> projections, std::size_t section_rows_max = kSectionRowsMax)
      : ports_(std::move(ports)),
        generations_(generations),
        projections_(std::move(projections)),
        section_rows_max_(section_rows_max) {}

  // On every shard.
  [[nodiscard]] Result<VerifyReport> All();
  // The rows and counts of these users alone, of a shard at one moment; the topics are read whole
  // all the same.
  [[nodiscard]] Result<VerifyReport> Of(const std::set<UserId>& users);

 private:
  [[nodiscard]] Result<std::unique_ptr<TableSnapshot>> OpenSnapshot(Shard shard) const;
  [[nodiscard]] Result<std::vector<Section>> ScanAll();
  [[nodiscard]] Result<std::vector<Section>> ScanUsers(const std::set<UserId>& users);
  [[nodiscard]] Result<Section> Scan(TableSnapshot& snapshot, Projection projection, Shard shard,
                                     std::vector<UserRange> users, std::size_t rows_max);
  [[nodiscard]] Status NoteOutbox(TableSnapshot& snapshot, Projection decider);

  [[nodiscard]] Result<VerifyReport> Judge(std::vector<Section> sections);
  [[nodiscard]] Status JudgeStream(Stream stream, std::vector<Section> sections);
  [[nodiscard]] Status FoldPartition(Partition partition, std::vector<Section>& sections);
  [[nodiscard]] Status FoldSlots(Partition partition, const std::set<Slot>& slots,
                                 std::vector<Section>& sections);
  [[nodiscard]] Status DrillDown(const std::vector<Section>& sections);
  [[nodiscard]] Status Compare(RowComparison& comparison);
  [[nodiscard]] Result<Offset> FoldInto(Partition partition, RowFold& fold);
  void Note(const Difference& difference);
  void NoteBeyond(const Section& section, Partition partition, Offset known);

  AuditPorts ports_;
  const ReadGenerations generations_;
  const std::vector<Projection> projections_;
  const std::size_t section_rows_max_;
  std::vector<Projection> judged_;     // of one stream
  std::unique_ptr<LogReader> reader_;  // of what is applied of it; none before the first
  // The outboxes of the projections that decide, as last read.
  std::map<std::pair<Stream, Partition>, std::vector<OutboxRow>> outbox_;
  VerifyReport report_;
};

}  // namespace fanfold::projector
