#include "reader/freshness/expected_outcome.h"

#include <fmt/format.h>

namespace fanfold::reader {

Result<Expected> Expect(const std::expected<Position, Unreadable>& read, const LogRecord& record,
                        Offset next) {
  if (!read) return Expected::kUnreadable;
  if (read->offset <= next) return read->offset == next ? Expected::kNext : Expected::kRepeat;
  return Fail(ErrorCode::kOutOfRange, fmt::format("outcome {} where {}:{} is next", ToString(*read),
                                                  record.partition.value, next.value));
}

}  // namespace fanfold::reader
