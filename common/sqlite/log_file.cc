#include "common/sqlite/log_file.h"

#include <algorithm>
#include <fmt/format.h>

#include "common/base/random.h"
#include "common/sqlite/durable_folder.h"
#include "common/sqlite/memory_database.h"

namespace fanfold::sqlite {
namespace {

constexpr std::int64_t kFormat = 1;
// 16 MiB: pages at the ends of partitions are then written to the file once.
constexpr std::int64_t kCheckpointPages = 4096;

ConnectionOptions LogOptions() { return {.durable = true, .cache_kib = 16 * 1024}; }

// What the tables of a topic are called before their partition.
std::string StemOf(Topic topic) {
  constexpr std::string_view kFirstTenants = "relation_";  // was alone when files were first made
  std::string name(topic.name());
  std::ranges::replace(name, '-', '_');
  if (name.starts_with(kFirstTenants)) name.erase(0, kFirstTenants.size());
  return name;
}

}  // namespace

std::string RecordsTable(Topic topic, Partition partition) {
  return fmt::format("{}_{}", StemOf(topic), partition.value);
}

LogFile::LogFile(const std::string& path, std::optional<std::int32_t> partitions,
                 std::int64_t now_ms)
    : path_(path), connection_(path, LogOptions()) {
  std::optional<std::int32_t> there = ReadPartitions();
  if (!there) {
    if (!partitions) throw Failure(ErrorCode::kNotFound, fmt::format("'{}' is no log", path));
    Create(*partitions, now_ms);
    // A file whose name is lost with the power has lost what was acked.
    if (!IsMemoryPath(path)) SyncFolderOf(path);
    there = partitions;
  }
  if (partitions && *partitions != *there) {
    throw Failure(ErrorCode::kRefused,
                  fmt::format("'{}' has {} partitions, not {}", path, *there, *partitions));
  }
  partitions_ = *there;
  for (const Topic topic : Topic::All()) AddTopic(topic);
  id_ = ReadOrDrawId();
  bounds_ = ReadBounds();
  for (const Topic topic : Topic::All()) {
    for (std::int32_t p = 0; p < partitions_; ++p) {
      inserts_[topic].push_back(
          fmt::format("INSERT INTO {} (offset, appended_ms, key, value) VALUES (?1, ?2, ?3, ?4)",
                      RecordsTable(topic, Partition(p))));
    }
  }
}

std::optional<std::int32_t> LogFile::ReadPartitions() {
  if (!connection_.Prepare("SELECT 1 FROM sqlite_schema").Next()) return std::nullopt;
  Statement select = connection_.Prepare("SELECT format, partitions FROM log WHERE id = 1");
  if (!select.Next()) return std::nullopt;
  if (select.I64(0) == kFormat) return select.I32(1);
  throw Failure(
      ErrorCode::kRefused,
      fmt::format("the log has format {}, which this build does not know", select.I64(0)));
}

void LogFile::Create(std::int32_t partitions, std::int64_t now_ms) {
  Transaction transaction(connection_, Access::kWrites);
  connection_.Execute(
      "CREATE TABLE log (id INTEGER PRIMARY KEY, format INTEGER NOT NULL, partitions INTEGER NOT "
      "NULL, created_ms INTEGER NOT NULL) STRICT");
  for (const Topic topic : Topic::All()) MakeTables(topic, partitions);
  connection_.Execute("INSERT INTO log (id, format, partitions, created_ms) VALUES (1, ?1, ?2, ?3)",
                      kFormat, partitions, now_ms);
  transaction.Commit();
}

void LogFile::MakeTables(Topic topic, std::int32_t partitions) {
  for (std::int32_t p = 0; p < partitions; ++p) {
    // The offset is the rowid, so records are appended at the tree's end and pages are filled.
    connection_.Execute(fmt::format(
        "CREATE TABLE {} (offset INTEGER PRIMARY KEY, appended_ms INTEGER NOT NULL, key BLOB, "
        "value BLOB) STRICT",
        RecordsTable(topic, Partition(p))));
  }
}

// A topic may be younger than the file; one that has lost a partition is not.
void LogFile::AddTopic(Topic topic) {
  const std::string names = StemOf(topic) + "_[0-9]*";
  const auto tables = [&] {
    Statement select = connection_.Prepare(
        "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name GLOB ?1");
    select.Bind(names);
    return select.Next() ? select.I32(0) : 0;
  };
  if (tables() == partitions_) return;
  Transaction transaction(connection_, Access::kWrites);
  const std::int32_t there = tables();  // another process may have been faster
  if (there == partitions_) return;
  if (there > 0) {
    throw Failure(ErrorCode::kRefused,
                  fmt::format("of {} partitions of {} the file has {}: restore it from a backup",
                              partitions_, topic.name(), there));
  }
  MakeTables(topic, partitions_);
  transaction.Commit();
}

std::string LogFile::ReadOrDrawId() {
  const auto read = [this]() -> std::optional<std::string> {
    const bool is_there =
        connection_.Prepare("SELECT 1 FROM sqlite_schema WHERE name = 'log_id'").Next();
    if (!is_there) return std::nullopt;
    Statement select = connection_.Prepare("SELECT log FROM log_id WHERE id = 1");
    return select.Next() ? std::optional(select.Text(0)) : std::nullopt;
  };
  if (std::optional<std::string> known = read()) return *known;
  Transaction transaction(connection_, Access::kWrites);
  if (std::optional<std::string> known = read()) return *known;  // another process was faster
  std::string drawn = fmt::format("file-{:016x}{:016x}", RandomBits(), RandomBits());
  connection_.Execute("CREATE TABLE log_id (id INTEGER PRIMARY KEY, log TEXT NOT NULL) STRICT");
  connection_.Execute("INSERT INTO log_id (id, log) VALUES (1, ?1)", drawn);
  transaction.Commit();
  return drawn;
}

PerPartition<LogBounds> LogFile::ReadBounds() {
  PerPartition<LogBounds> bounds;
  for (const Topic topic : Topic::All()) {
    for (std::int32_t p = 0; p < partitions_; ++p) {
      const std::string table = RecordsTable(topic, Partition(p));
      Statement select = connection_.Prepare(fmt::format(
          "SELECT (SELECT min(offset) FROM {0}), (SELECT max(offset) FROM {0})", table));
      if (!select.Next()) throw Failure(ErrorCode::kInternal, "no bounds");
      const Offset end(select.IsNull(1) ? 0 : select.I64(1) + 1);
      bounds[topic].push_back({Offset(select.I64(0)), end});
    }
  }
  return bounds;
}

Result<PerPartition<LogBounds>> LogFile::LookAgain() {
  return connection_.Run([this] { return ReadBounds(); });
}

Status LogFile::Append(std::span<NewRecord* const> records, std::int64_t now_ms) {
  return connection_.Run([&] { Write(records, now_ms); });
}

void LogFile::Write(std::span<NewRecord* const> records, std::int64_t now_ms) {
  if (connection_.IsMoved()) {
    throw Failure(ErrorCode::kUnavailable,
                  fmt::format("'{}' was removed or moved: nothing can be written to it", path_));
  }
  PerPartition<LogBounds> bounds = bounds_;
  Transaction transaction(connection_, Access::kWrites);
  for (NewRecord* record : records) {
    const auto partition = static_cast<std::size_t>(record->partition.value);
    Offset& end = bounds[record->topic][partition].end;
    connection_.Execute(inserts_[record->topic][partition], end.value, now_ms, Blob{record->key},
                        Blob{record->value});
    record->offset = end;
    end = Next(end);
  }
  transaction.Commit();
  bounds_ = std::move(bounds);
}

Status LogFile::CheckpointWhenLarge() {
  if (connection_.wal_pages() < kCheckpointPages) return {};
  return connection_.Run([this] { connection_.Checkpoint(); });
}

}  // namespace fanfold::sqlite
