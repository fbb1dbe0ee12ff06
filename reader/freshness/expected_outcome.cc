#include "reader/freshness/expected_outcome.h"

#include <fmt/format.h>

namespace fanfold::reader {

Result<bool> IsNext(const std::expected<Position, Unreadable>& read, const LogRecord& record,
                    Offset next) {
  if (!read) {
    return Fail(ErrorCode::kOutOfRange,
                fmt::format("record {}:{} cannot be read: {}", record.partition.value,
                            record.offset.value, read.error().detail));
  }
  if (read->offset <= next) return read->offset == next;
  return Fail(ErrorCode::kOutOfRange, fmt::format("outcome {} where {}:{} is next", ToString(*read),
                                                  record.partition.value, next.value));
}

}  // namespace fanfold::reader
