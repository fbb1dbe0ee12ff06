#include "common/sqlite/sqlite_event_log.h"

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

class EventLogOnSqlite final : public SqliteEventLog {
 public:
  EventLogOnSqlite(std::string path, const Clock& clock, const SqliteLogOptions& options)
      : path_(std::move(path)) {
    auto file = std::make_unique<LogFile>(path_, options.partitions, clock.NowMs());
    partitions_ = file->partitions();
    ends_ = std::make_shared<LogEnds>(file->bounds());
    committer_ = std::make_shared<Committer>(std::move(file), ends_, clock, options.own_thread);
  }

  Result<std::int32_t> PartitionCount(Topic /*topic*/) override { return partitions_; }

  std::vector<Result<LogBounds>> BoundsOf(Topic topic,
                                          std::span<const Partition> partitions) override {
    std::vector<Result<LogBounds>> answers;
    for (const Partition partition : partitions) {
      if (const std::optional<LogBounds> bounds = ends_->BoundsOf(topic, partition)) {
        answers.emplace_back(*bounds);
      } else {
        answers.emplace_back(
            Fail(ErrorCode::kNotFound, RecordsTable(topic, partition) + ": no such partition"));
      }
    }
    return answers;
  }

  Result<std::unique_ptr<LogReader>> NewReader(Topic topic) override {
    auto reader = ResultOf([&] { return NewLogReader(path_, topic, ends_); });
    if (!reader) return std::unexpected(AsLogError(std::move(reader.error())));
    return reader;
  }

  Result<std::unique_ptr<LogAppender>> NewAppender(Topic topic,
                                                   const AppenderOptions& options) override {
    return std::make_unique<SqliteAppender>(topic, options, committer_);
  }

  Status Ping(std::int64_t /*timeout_ms*/) override { return committer_->Health(); }

  std::size_t CommitQueued() override { return committer_->CommitQueued(); }

 private:
  const std::string path_;
  std::int32_t partitions_ = 0;
  std::shared_ptr<LogEnds> ends_;
  std::shared_ptr<Committer> committer_;
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

}  // namespace fanfold
