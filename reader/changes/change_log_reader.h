// The topics of changes, read from a place.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "reader/changes/change_window.h"

namespace fanfold::reader {

// One stream. One thread.
class ChangeLogReader {
 public:
  // How many records of a partition are read for the last event that was told.
  static constexpr std::int64_t kTailRecords = 64;
  // How long a topic's records may keep it waiting for the next one.
  static constexpr std::int64_t kWaitMs = 900;

  // Where a digest of `place` is not known, begins with the event before, if that is still there.
  // Requires: the log holds what comes next (ProvePlace). Errors: the log's.
  [[nodiscard]] static Result<ChangeLogReader> Open(EventLog& log, Stream stream,
                                                    const ChangePlace& place);
  // Behind the last event, where `place` then stands; with its digest if it is the last that was
  // told. Blocks for the log's bounds and kWaitMs behind the last record that came.
  // Errors: the log's.
  [[nodiscard]] static Result<ChangeLogReader> OpenAtEnd(EventLog& log, Stream stream,
                                                         ChangePlace& place);

  // At most `records_max` records' events, those of a repeat left out. Errors: the log's;
  // kOutOfRange, a gap, or what was to be read is lost.
  [[nodiscard]] Result<std::vector<ToldEvent>> Poll(std::size_t records_max,
                                                    std::int64_t timeout_ms);

  // The event that comes next of this partition.
  [[nodiscard]] Offset NextOf(Partition partition) const {
    return next_[static_cast<std::size_t>(partition.value)];
  }
  // No more of this partition.
  void Stop(Partition partition) { reader_->Stop(partition); }

  // Where the stream's events end now. Errors: the log's.
  [[nodiscard]] static Result<ChangePlace> Ends(EventLog& log, std::int32_t partitions);

 private:
  ChangeLogReader(Stream stream, std::unique_ptr<LogReader> reader, std::vector<Offset> next)
      : stream_(stream), reader_(std::move(reader)), next_(std::move(next)) {}
  // Reads on to `ends`, those of records. Returns where the events stand that were told.
  [[nodiscard]] Result<ChangePlace> ReadTail(std::vector<Offset> ends, std::int32_t partitions);

  Stream stream_;
  std::unique_ptr<LogReader> reader_;
  std::vector<Offset> next_;  // event, by partition
};

}  // namespace fanfold::reader
