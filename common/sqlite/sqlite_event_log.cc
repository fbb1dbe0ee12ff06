#include "common/sqlite/sqlite_event_log.h"

#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <utility>

#include "common/sqlite/committer.h"
#include "common/sqlite/log_ends.h"
#include "common/sqlite/log_file.h"
#include "common/sqlite/log_reader.h"
#include "common/sqlite/memory_database.h"

namespace fanfold {
namespace sqlite {
namespace {

class SqliteAppender final : public LogAppender {
 public:
  SqliteAppender(Topic topic, const AppenderOptions& options, std::shared_ptr<Committer> committer)
      : topic_(topic), committer_(std::move(committer)), queue_(committer_->NewQueue(options)) {}
  ~SqliteAppender() override { committer_->Close(queue_); }

  void Append(Partition partition, std::string_view key, std::string_view value,
              Done done) override {
    committer_->Append(*queue_, {topic_, partition, std::string(key), std::string(value), Offset()},
                       std::move(done));
  }

  bool Flush(std::int64_t timeout_ms) override { return committer_->Flush(*queue_, timeout_ms); }

 private:
  const Topic topic_;
  const std::shared_ptr<Committer> committer_;
  const std::shared_ptr<AppendQueue> queue_;
};

// The file that a path named when it was opened: who opens the path again may get another.
class OpenedFile {
 public:
  explicit OpenedFile(std::string path) : path_(std::move(path)), is_(Look()) {}

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // One system call.
  [[nodiscard]] Status IsThere() const {
    if (Look() == is_) return {};
    return Fail(ErrorCode::kUnavailable,
                fmt::format("'{}' was removed or moved: nothing can be read of it", path_));
  }

 private:
  using Identity = std::pair<dev_t, ino_t>;
  [[nodiscard]] std::optional<Identity> Look() const {
    struct stat status{};
    const bool is_file = !IsMemoryPath(path_) && stat(path_.c_str(), &status) == 0;
    return is_file ? std::optional<Identity>({status.st_dev, status.st_ino}) : std::nullopt;
  }

  const std::string path_;
  const std::optional<Identity> is_;  // nothing in memory
};

std::vector<Result<LogBounds>> BoundsIn(const OpenedFile& file, LogEnds& ends, Topic topic,
                                        std::span<const Partition> partitions) {
  const Status there = file.IsThere();
  std::vector<Result<LogBounds>> answers;
  for (const Partition partition : partitions) {
    Result<LogBounds> bounds =
        there ? ends.BoundsOf(topic, partition) : Result<LogBounds>(std::unexpected(there.error()));
    if (!bounds) bounds = std::unexpected(AsLogError(std::move(bounds.error())));
    answers.push_back(std::move(bounds));
  }
  return answers;
}

Result<std::unique_ptr<LogReader>> ReaderOf(const OpenedFile& file, Topic topic,
                                            const std::shared_ptr<LogEnds>& ends) {
  auto reader = ResultOf([&] { return NewLogReader(file.path(), topic, ends); });
  if (!reader) return std::unexpected(AsLogError(std::move(reader.error())));
  if (Status there = file.IsThere(); !there) return Forward(there);
  return reader;
}

class EventLogOnSqlite final : public SqliteEventLog {
 public:
  EventLogOnSqlite(const std::string& path, const Clock& clock, const SqliteLogOptions& options) {
    auto file = std::make_unique<LogFile>(path, options.partitions, clock.NowMs());
    file_.emplace(path);
    partitions_ = file->partitions();
    id_ = file->id();
    ends_ = std::make_shared<LogEnds>(file->bounds());
    committer_ = std::make_shared<Committer>(std::move(file), ends_, clock, options.own_thread);
  }

  Result<std::int32_t> PartitionCount(Topic /*topic*/) override { return partitions_; }

  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    return BoundsIn(*file_, *ends_, topic, partitions);
  }

  Result<std::unique_ptr<LogReader>> NewReader(Topic topic, const ReaderOptions&) override {
    return ReaderOf(*file_, topic, ends_);
  }

  Result<std::unique_ptr<LogAppender>> NewAppender(Topic topic,
                                                   const AppenderOptions& options) override {
    return std::make_unique<SqliteAppender>(topic, options, committer_);
  }

  Result<std::string> Id() override { return id_; }

  Status Ping(std::int64_t /*timeout_ms*/) override { return committer_->Health(); }

  std::size_t CommitQueued() override { return committer_->CommitQueued(); }

 private:
  std::optional<OpenedFile> file_;
  std::int32_t partitions_ = 0;
  std::string id_;
  std::shared_ptr<LogEnds> ends_;
  std::shared_ptr<Committer> committer_;
};

class EventLogBeside final : public EventLog {
 public:
  explicit EventLogBeside(const std::string& path) {
    // Only a log that is made asks for the time.
    const auto file = std::make_shared<LogFile>(path, std::nullopt, 0);
    file_.emplace(path);
    partitions_ = file->partitions();
    id_ = file->id();
    ends_ = std::make_shared<LogEnds>(file->bounds(), [file] { return file->LookAgain(); });
  }

  Result<std::int32_t> PartitionCount(Topic /*topic*/) override { return partitions_; }

  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    return BoundsIn(*file_, *ends_, topic, partitions);
  }

  Result<std::unique_ptr<LogReader>> NewReader(Topic topic, const ReaderOptions&) override {
    return ReaderOf(*file_, topic, ends_);
  }

  Result<std::unique_ptr<LogAppender>> NewAppender(Topic /*topic*/,
                                                   const AppenderOptions& /*options*/) override {
    return Fail(ErrorCode::kRefused,
                fmt::format("'{}' is written by another process", file_->path()));
  }

  Result<std::string> Id() override { return id_; }

  Status Ping(std::int64_t /*timeout_ms*/) override {
    Result<LogBounds> bounds = Bounds(topics::kRelationEvents, Partition(0));
    if (!bounds) return Forward(bounds);
    return {};
  }

 private:
  std::optional<OpenedFile> file_;
  std::int32_t partitions_ = 0;
  std::string id_;
  std::shared_ptr<LogEnds> ends_;
};

}  // namespace
}  // namespace sqlite

Result<std::unique_ptr<SqliteEventLog>> OpenSqliteEventLog(const std::string& path,
                                                           const Clock& clock,
                                                           const SqliteLogOptions& options) {
  auto log = ResultOf([&]() -> std::unique_ptr<SqliteEventLog> {
    return std::make_unique<sqlite::EventLogOnSqlite>(path, clock, options);
  });
  if (!log) return std::unexpected(sqlite::AsLogError(std::move(log.error())));
  return log;
}

Result<std::unique_ptr<EventLog>> OpenSqliteEventLogBeside(const std::string& path) {
  auto log = ResultOf([&]() -> std::unique_ptr<EventLog> {
    return std::make_unique<sqlite::EventLogBeside>(path);
  });
  if (!log) return std::unexpected(sqlite::AsLogError(std::move(log.error())));
  return log;
}

}  // namespace fanfold
