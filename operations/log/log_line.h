// The lines of the file that `export --log` writes and `import --log` reads: a header, then every
// record, of each stream outcomes before events, within a partition by offset, then the totals.
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>

#include "common/ports/event_log.h"
#include "operations/lanes/lanes.h"
#include "operations/log/record_reader.h"

namespace fanfold::operations {

inline constexpr int kLogFileVersion = 1;
// A record of a megabyte whose every byte JSON writes as six, and room for the rest.
inline constexpr std::size_t kLogLineBytesMax = std::size_t{8} << 20;

// {"fanfold_log":1,"partitions":16,"nothing_open":true}
struct LogHeader {
  std::int32_t partitions = 0;
  // All that a record asks for beside its own rows was done, and stands in the log: no account was
  // being erased. A file that does not tell is of an earlier build.
  bool nothing_open = false;
};

// {"topic","partition","offset","appended_ms","key","value"}; bytes that are no UTF-8 stand in
// base64 as "key64", "value64"; null where the record has none.
struct LogLineRecord {
  Topic topic;
  StoredRecord stored;
};

// The last line is {"totals":{"relation-outcomes":[…],"relation-events":[…]}}: the ends by
// partition; none of a topic that is younger than the file.
using LogLine = std::variant<LogHeader, LogLineRecord, AllEnds>;

// Without the line's end.
[[nodiscard]] std::string ToLine(const LogHeader& header);
[[nodiscard]] std::string ToLine(Topic topic, const LogRecord& record);
[[nodiscard]] std::string ToLine(const AllEnds& totals);

// Why a line is none of them.
using BadLogLine = std::string;
[[nodiscard]] std::expected<LogLine, BadLogLine> ParseLogLine(std::string_view line);

}  // namespace fanfold::operations
