#include "common/sqlite/sqlite_event_log.h"

#include <fmt/format.h>
#include <utility>

#include "common/sqlite/committer.h"
#include "common/sqlite/log_ends.h"
#include "common/sqlite/log_file.h"
#include "common/sqlite/log_reader.h"

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

std::vector<Result<LogBounds>> BoundsIn(LogEnds& ends, Topic topic,
                                        std::span<const Partition> partitions) {
  std::vector<Result<LogBounds>> answers;
  for (const Partition partition : partitions) {
    Result<LogBounds> bounds = ends.BoundsOf(topic, partition);
    if (!bounds) bounds = std::unexpected(AsLogError(std::move(bounds.error())));
    answers.push_back(std::move(bounds));
  }
  return answers;
}

Result<std::unique_ptr<LogReader>> ReaderOf(const std::string& path, Topic topic,
                                            const std::shared_ptr<LogEnds>& ends) {
  auto reader = ResultOf([&] { return NewLogReader(path, topic, ends); });
  if (!reader) return std::unexpected(AsLogError(std::move(reader.error())));
  return reader;
}

class EventLogOnSqlite final : public SqliteEventLog {
 public:
  EventLogOnSqlite(std::string path, const Clock& clock, const SqliteLogOptions& options)
      : path_(std::move(path)) {
    auto file = std::make_unique<LogFile>(path_, options.partitions, clock.NowMs());
    partitions_ = file->partitions();
    id_ = file->id();
    ends_ = std::make_shared<LogEnds>(file->bounds());
    committer_ = std::make_shared<Committer>(std::move(file), ends_, clock, options.own_thread);
  }

  Result<std::int32_t> PartitionCount(Topic /*topic*/) override { return partitions_; }

  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    return BoundsIn(*ends_, topic, partitions);
  }

  Result<std::unique_ptr<LogReader>> NewReader(Topic topic, const ReaderOptions&) override {
    return ReaderOf(path_, topic, ends_);
  }

  Result<std::unique_ptr<LogAppender>> NewAppender(Topic topic,
                                                   const AppenderOptions& options) override {
    return std::make_unique<SqliteAppender>(topic, options, committer_);
  }

  Result<std::string> Id() override { return id_; }

  Status Ping(std::int64_t /*timeout_ms*/) override { return committer_->Health(); }

  std::size_t CommitQueued() override { return committer_->CommitQueued(); }

 private:
  const std::string path_;
  std::int32_t partitions_ = 0;
  std::string id_;
  std::shared_ptr<LogEnds> ends_;
  std::shared_ptr<Committer> committer_;
};

class EventLogBeside final : public EventLog {
 public:
  explicit EventLogBeside(std::string path) : path_(std::move(path)) {
    // Only a log that is made asks for the time.
    const auto file = std::make_shared<LogFile>(path_, std::nullopt, 0);
    partitions_ = file->partitions();
    id_ = file->id();
    ends_ = std::make_shared<LogEnds>(file->bounds(), [file] { return file->LookAgain(); });
  }

  Result<std::int32_t> PartitionCount(Topic /*topic*/) override { return partitions_; }

  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    return BoundsIn(*ends_, topic, partitions);
  }

  Result<std::unique_ptr<LogReader>> NewReader(Topic topic, const ReaderOptions&) override {
    return ReaderOf(path_, topic, ends_);
  }

  Result<std::unique_ptr<LogAppender>> NewAppender(Topic /*topic*/,
                                                   const AppenderOptions& /*options*/) override {
    return Fail(ErrorCode::kRefused, fmt::format("'{}' is written by another process", path_));
  }

  Result<std::string> Id() override { return id_; }

  Status Ping(std::int64_t /*timeout_ms*/) override {
    Result<LogBounds> bounds = Bounds(topics::kRelationEvents, Partition(0));
    if (!bounds) return Forward(bounds);
    return {};
  }

 private:
  const std::string path_;
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
