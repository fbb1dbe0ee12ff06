// A stream in the reader's memory, which follows the stream's topic.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/projection.h"
#include "reader/cache/reader_position.h"

namespace fanfold::reader {

// Fed by one thread.
class TopicFeed {
 public:
  virtual ~TopicFeed() = default;

  // The name of the stream's applied records, for logs and refusals.
  [[nodiscard]] virtual std::string_view what() const = 0;
  // It begins at the slowest of this projection's lanes in each partition.
  [[nodiscard]] virtual Projection begins_with() const = 0;
  [[nodiscard]] virtual const ReaderPosition& position() const = 0;

  // The reader stands at `next`, an event offset a partition. Drops everything held.
  virtual void Start(const Placement& placement, const std::vector<Offset>& next) = 0;
  // Takes records in the topic's order; the reader's position moves behind them. Errors:
  // kOutOfRange, the place is lost: a record is not the one that comes next.
  [[nodiscard]] virtual Status Take(std::span<const LogRecord> records) = 0;
  // Every table holds the events of the partition below this offset.
  virtual void Trim(Partition partition, Offset below) = 0;
  // The reader's position is lost. Drops everything held.
  virtual void Stop() = 0;
};

}  // namespace fanfold::reader
