// The file of a log: a table for each partition of each topic, a row for each record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

// One value for each partition of each topic.
template <class T>
using PerPartition = PerTopic<std::vector<T>>;

// "events_3" of relation-events; of other streams all of the name, "post_events_3".
[[nodiscard]] std::string RecordsTable(Topic topic, Partition partition);

// A record to be written; its place is found by writing it.
struct NewRecord {
  Topic topic;
  Partition partition;
  std::string key;
  std::string value;
  Offset offset;
};

// Where records are written. Thread-compatible.
class LogFile {
 public:
  // Opens the file, or makes it with that many partitions; what OpenSqliteEventLog says. Throws
  // Failure.
  LogFile(const std::string& path, std::optional<std::int32_t> partitions, std::int64_t now_ms);

  [[nodiscard]] std::int32_t partitions() const noexcept { return partitions_; }
  // Drawn when the file was made, or first opened by a build that knows of it.
  [[nodiscard]] const std::string& id() const noexcept { return id_; }
  [[nodiscard]] const PerPartition<LogBounds>& bounds() const noexcept { return bounds_; }
  // Reads the file as it is now, where another process writes it.
  [[nodiscard]] Result<PerPartition<LogBounds>> LookAgain();

  // Writes all in one transaction, dense, in their order, and fills in their offsets. Afterwards
  // they are on the disk. kUnavailable also where the file was removed or moved since it was
  // opened. On failure none is in the log, though with kUnknown a crash before the next transaction
  // may bring them back.
  [[nodiscard]] Status Append(std::span<NewRecord* const> records, std::int64_t now_ms);

  // Moves a write-ahead log that has grown into the tables. On failure it only stays as it is.
  [[nodiscard]] Status CheckpointWhenLarge();

 private:
  [[nodiscard]] std::optional<std::int32_t> ReadPartitions();
  void Create(std::int32_t partitions, std::int64_t now_ms);
  void MakeTables(Topic topic, std::int32_t partitions);
  void AddTopic(Topic topic);
  [[nodiscard]] std::string ReadOrDrawId();
  [[nodiscard]] PerPartition<LogBounds> ReadBounds();
  void Write(std::span<NewRecord* const> records, std::int64_t now_ms);

  std::string path_;
  Connection connection_;
  std::int32_t partitions_ = 0;
  std::string id_;
  PerPartition<LogBounds> bounds_;
  PerPartition<std::string> inserts_;
};

}  // namespace fanfold::sqlite
