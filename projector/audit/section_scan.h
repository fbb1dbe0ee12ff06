// Reads a section's rows and counts from a snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/base/result.h"
#include "common/ports/table_snapshot.h"
#include "projector/audit/difference.h"
#include "projector/audit/section.h"
#include "projector/runtime/scan_pace.h"

namespace fanfold::projector {

struct SectionScanOptions {
  ReadGenerations generations;
  // The section ends at the first user's end after so many rows. Requires: it has one range alone.
  std::size_t rows_max = SIZE_MAX;
  std::function<void(const Difference&)> wrong_count;
  std::function<void(const RowImage&)> row = [](const RowImage&) {};
};

// Fills what is found, the positions, and, when rows_max ends it, the last user. Errors: the
// snapshot's; kTimeout, the pace said stop.
[[nodiscard]] Status ScanSection(TableSnapshot& snapshot, const Placement& placement,
                                 const SectionScanOptions& options, ScanPace& pace,
                                 Section& section);

}  // namespace fanfold::projector
