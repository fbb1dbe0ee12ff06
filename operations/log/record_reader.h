// Single records of the log, for those who look at a few.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/ports/event_log.h"
#include "common/stream/position.h"

namespace fanfold::operations {

struct StoredRecord {
  Position position;
  std::int64_t appended_ms = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
};

[[nodiscard]] StoredRecord Copied(const LogRecord& record);

inline constexpr std::int64_t kRecordReadTimeoutMs = 5000;
using StoredRecords = std::vector<std::optional<StoredRecord>>;

// The records at those positions that are there and came within kRecordReadTimeoutMs, in the order
// asked; the others are absent. Partitions are read side by side. Errors: as LogReader's.
[[nodiscard]] Result<StoredRecords> ReadRecords(EventLog& log, Topic topic,
                                                const std::vector<Position>& positions);
// The same of the first records that are left at or behind those positions: not every offset holds
// one.
[[nodiscard]] Result<StoredRecords> ReadFirstFrom(EventLog& log, Topic topic,
                                                  const std::vector<Position>& positions);

}  // namespace fanfold::operations
