// The topics of changes, read from a place.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "reader/changes/change_board.h"

namespace fanfold::reader {

// One stream. One thread.
class ChangeLogReader {
 public:
  // Errors: the log's; kOutOfRange, it does not reach there.
  [[nodiscard]] static Result<ChangeLogReader> Open(EventLog& log, Stream stream,
                                                    const ChangePlace& place);

  // At most `records_max` records' events, those of a repeat left out. Errors: the log's;
  // kOutOfRange, a gap, or what was to be read is lost.
  [[nodiscard]] Result<std::vector<ChangeBoard::Told>> Poll(std::size_t records_max,
                                                            std::int64_t timeout_ms);

  // Where the stream's events end now. Errors: the log's.
  [[nodiscard]] static Result<ChangePlace> Ends(EventLog& log, std::int32_t partitions);

 private:
  ChangeLogReader(Stream stream, std::unique_ptr<LogReader> reader, std::vector<Offset> next)
      : stream_(stream), reader_(std::move(reader)), next_(std::move(next)) {}

  Stream stream_;
  std::unique_ptr<LogReader> reader_;
  std::vector<Offset> next_;  // event, by partition
};

}  // namespace fanfold::reader
