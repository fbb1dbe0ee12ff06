// The log on SQLite: every topic in one file, durable at each ack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/ports/event_log.h"

namespace fanfold {

struct SqliteLogOptions {
  // How many each topic has, for life. Nothing: as many as the log has, which must exist then.
  std::optional<std::int32_t> partitions;
  // Without a thread of its own records are written when CommitQueued or an appender's Flush is
  // called, on the caller's thread: what a single-threaded simulation wants.
  bool own_thread = true;
};

// Records of all appenders that wait at the same time are committed in one transaction, on the disk
// before any of them is called back, in the order of the calls. A transaction that fails is tried
// again until its records' delivery time-outs. Readers are woken by the appender within this
// process. Thread-safe; readers and appenders may outlive it.
class SqliteEventLog : public EventLog {
 public:
  static constexpr std::size_t kBytesInFlightMax = std::size_t{256} << 20;  // of one appender

  // Commits what is queued and calls back, once; how many records were answered. Requires: no
  // thread of its own.
  virtual std::size_t CommitQueued() = 0;
};

// Opens `path`, a file or a MemoryDatabase, and makes it when it is missing. `clock` gives the time
// of append and outlives the log, its readers and appenders. Errors: kNotFound, there is none and
// options.partitions does not say how to make it; kRefused, it has another number of partitions
// (the message names both), is no log, cannot be written or is damaged; kUnavailable.
[[nodiscard]] Result<std::unique_ptr<SqliteEventLog>> OpenSqliteEventLog(
    const std::string& path, const Clock& clock, const SqliteLogOptions& options);

// Opens a log that another process writes: how far it goes is read from the file whenever it is
// asked for, and again and again by a reader that waits. Thread-safe; readers may outlive it. It
// has no appenders (kRefused). Errors: kNotFound, there is none; kRefused, it is no log or is
// damaged; kUnavailable.
[[nodiscard]] Result<std::unique_ptr<EventLog>> OpenSqliteEventLogBeside(const std::string& path);

}  // namespace fanfold
