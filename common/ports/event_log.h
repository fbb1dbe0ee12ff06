// The log: the topics of every stream, of P partitions each. Adapters: Kafka, SQLite; each passes
// tests/contract/event_log_contract.h. No method throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/stream/ids.h"
#include "common/stream/position.h"
#include "common/stream/stream.h"

namespace fanfold {

// A record as it stands in the log. The views point into the batch that carries it.
struct LogRecord {
  Partition partition;
  Offset offset;
  std::int64_t appended_ms = 0;         // the log's own time, ms since 1970 UTC
  std::optional<std::string_view> key;  // null where the record has none
  std::optional<std::string_view> value;
};

// Records in the order they were read: within a partition by offset. Owns their bytes. Move only.
struct LogBatch {
  std::vector<LogRecord> records;
  std::shared_ptr<void> bytes;  // whatever keeps the views alive
};

// The offsets that a partition holds: begin ≤ offset < end.
struct LogBounds {
  Offset begin;
  Offset end;
  [[nodiscard]] bool MayStartAt(Offset position) const {
    return begin <= position && position <= end;
  }
};

struct ReaderOptions {
  // How long a record may be held back for companions, which makes many of them cheaper to bring;
  // 0: not at all.
  std::int64_t gather_ms = 0;
};

// All partitions of a topic with that many.
[[nodiscard]] std::vector<Partition> AllPartitions(std::int32_t partitions);

// Reads partitions of one topic from positions that its owner gives. One thread at a time.
class LogReader {
 public:
  virtual ~LogReader() = default;

  // Adds a partition, read from `from` on; a partition that is being read moves there. Does not
  // block. When not begin ≤ from ≤ end this or a later Poll fails with kOutOfRange, and when there
  // is no such partition with kNotFound or kUnavailable: whoever has to know asks Bounds before.
  [[nodiscard]] virtual Status Start(Partition partition, Offset from) = 0;
  // Takes a partition away; none of its records comes after. A partition that is not read is fine.
  virtual void Stop(Partition partition) = 0;

  // Returns the records that have arrived: at most records_max, at least one if any comes within
  // timeout_ms. An empty batch is a time out. Errors: kUnavailable (poll again), kOutOfRange (the
  // log lost the next record).
  [[nodiscard]] virtual Result<LogBatch> Poll(std::size_t records_max, std::int64_t timeout_ms) = 0;
};

// Appends to one topic; every record is durable before its callback says so. Order within a
// partition is the order of the calls, failed ones left out, or with `stop_on_failure` the last.
// Thread-safe.
class LogAppender {
 public:
  using Done = std::function<void(Result<Position>)>;

  // Called back exactly once, from a thread of the appender or, when refused at once, from the
  // caller's. Errors: kOverloaded (the queue of kRecordsInFlightMax is full, not appended),
  // kUnavailable (not appended, try again), kUnknown (perhaps appended), kInvalidArgument (too
  // large), kRefused (not appended, somebody has to give us the right to). Does not block. `done`
  // must not block.
  virtual void Append(Partition partition, std::string_view key, std::string_view value,
                      Done done) = 0;

  // Waits until everything appended so far has been called back; false when timeout_ms ran out.
  [[nodiscard]] virtual bool Flush(std::int64_t timeout_ms) = 0;

  // Whether the log lets us append, as far as is known: else kRefused, saying what to do. That is
  // known from appends that were refused, or sooner; it is forgotten with one that was not, or
  // after some seconds in which nobody could tell, so that whoever waits for Ok does so no longer
  // than that after the right is given. Does not block.
  [[nodiscard]] virtual Status MayAppend() const { return {}; }

  // Calls back what is in flight (kUnknown) and stops.
  virtual ~LogAppender() = default;

  static constexpr std::size_t kRecordsInFlightMax = 100'000;
  // Key and value of a record, unless it is told otherwise: what a broker takes by default,
  // whatever the adapter, so that a log can move.
  static constexpr std::size_t kRecordBytesMax = 1'000'000;
};

struct AppenderOptions {
  // How long a record may be in flight before its append is called failed; 0: never, which the
  // relay needs, since a record given up leaves a gap that later ones jump over.
  std::int64_t delivery_timeout_ms = 5000;
  // How long the appender waits for companions before it sends; 0 for the shortest answer.
  std::int64_t linger_ms = 0;
  // A record whose key and value are larger is refused.
  std::size_t record_bytes_max = LogAppender::kRecordBytesMax;
  // After an append that failed, for whatever reason, none of its partition that comes after it
  // gets into the log; once the failure has been called back none of any partition does. They fail
  // too, those not sent with kUnavailable. Else a later record could jump over the failed one
  // before its sender has heard of the failure.
  bool stop_on_failure = false;
};

class EventLog {
 public:
  virtual ~EventLog() = default;

  // Calls below block for at most so long, or as long as the log was told to wait instead.
  static constexpr std::int64_t kBoundsTimeoutMs = 5000;

  // How many partitions the topic has; how many the deployment has stands in the catalog
  // (deployment_check.h). Errors: kNotFound, kUnavailable.
  [[nodiscard]] virtual Result<std::int32_t> PartitionCount(Topic topic) = 0;
  // The bounds of each of these partitions, in the order asked; many take no longer than one. Each
  // answer fails by itself: kNotFound, kUnavailable.
  [[nodiscard]] virtual std::vector<Result<LogBounds>> BoundsOf(
      Topic topic, std::span<const Partition> partitions) = 0;
  // The bounds of one partition.
  [[nodiscard]] Result<LogBounds> Bounds(Topic topic, Partition partition);
  // The bounds of the first `partitions`, or the first failure.
  [[nodiscard]] Result<std::vector<LogBounds>> AllBounds(Topic topic, std::int32_t partitions);
  [[nodiscard]] virtual Result<std::unique_ptr<LogReader>> NewReader(
      Topic topic, const ReaderOptions& options) = 0;
  // That gives each record as soon as it can.
  [[nodiscard]] Result<std::unique_ptr<LogReader>> NewReader(Topic topic);
  [[nodiscard]] virtual Result<std::unique_ptr<LogAppender>> NewAppender(
      Topic topic, const AppenderOptions& options) = 0;
  // Tells this log from all others: the cluster's id and the space in it, or what was drawn at
  // random when the file was made. Errors: kUnavailable.
  [[nodiscard]] virtual Result<std::string> Id() = 0;
  // Can the log be reached now? Blocks for at most timeout_ms.
  [[nodiscard]] virtual Status Ping(std::int64_t timeout_ms) = 0;
};

}  // namespace fanfold
