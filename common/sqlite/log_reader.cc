#include "common/sqlite/log_reader.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace fanfold::sqlite {
namespace {

// One Poll gives at most so much, but for the record that goes beyond it.
constexpr std::size_t kPollBytesMax = std::size_t{16} << 20;

// Bytes that stay where they are.
class Arena {
 public:
  [[nodiscard]] std::string_view Copy(std::string_view bytes) {
    if (bytes.empty()) return "";
    if (left_ < bytes.size()) {
      left_ = std::max(kChunkBytes, bytes.size());
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      free_ = chunks_.back().get();
    }
    std::memcpy(free_, bytes.data(), bytes.size());
    const std::string_view copy(free_, bytes.size());
    free_ += bytes.size();
    left_ -= bytes.size();
    copied_ += bytes.size();
    return copy;
  }
  [[nodiscard]] std::size_t copied() const noexcept { return copied_; }

 private:
  static constexpr std::size_t kChunkBytes = 64 * 1024;

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;
  std::size_t left_ = 0;
  std::size_t copied_ = 0;
};

class SqliteLogReader final : public LogReader {
 public:
  SqliteLogReader(const std::string& path, Topic topic, std::shared_ptr<LogEnds> ends)
      : topic_(topic),
        ends_(std::move(ends)),
        connection_(path, {.writes = false, .cache_kib = 4 * 1024}) {}

  Status Start(Partition partition, Offset from) override {
    const Result<LogBounds> bounds = ends_->BoundsOf(topic_, partition);
    if (!bounds) return std::unexpected(AsLogError(bounds.error()));
    if (!bounds->MayStartAt(from)) {
      return Fail(
          ErrorCode::kOutOfRange,
          fmt::format("{}: start at {} is outside what the log holds, {} to {}", Named(partition),
                      from.value, bounds->begin.value, bounds->end.value));
    }
    positions_[partition] = from;
    return {};
  }

  void Stop(Partition partition) override { positions_.erase(partition); }

  Result<LogBatch> Poll(std::size_t records_max, std::int64_t timeout_ms) override {
    Result<std::vector<Partition>> more = ends_->AwaitMore(topic_, positions_, timeout_ms);
    if (!more) return std::unexpected(AsLogError(std::move(more.error())));
    // The one after the last that was read comes first, so that none waits for a busy one's end.
    std::ranges::rotate(*more, std::ranges::upper_bound(*more, last_read_));
    Result<LogBatch> batch = connection_.Run([&] { return Read(*more, records_max); });
    if (!batch) return std::unexpected(AsLogError(std::move(batch.error())));
    for (const LogRecord& record : batch->records) {
      positions_[record.partition] = Next(record.offset);
      last_read_ = record.partition;
    }
    return batch;
  }

 private:
  [[nodiscard]] std::string Named(Partition partition) const {
    return RecordsTable(topic_, partition);
  }

  [[nodiscard]] LogBatch Read(const std::vector<Partition>& partitions, std::size_t records_max) {
    auto arena = std::make_shared<Arena>();
    LogBatch batch;
    for (const Partition partition : partitions) {
      if (batch.records.size() == records_max || arena->copied() >= kPollBytesMax) break;
      ReadPartition(partition, records_max, *arena, batch.records);
    }
    batch.bytes = std::move(arena);
    return batch;
  }

  void ReadPartition(Partition partition, std::size_t records_max, Arena& arena,
                     std::vector<LogRecord>& records) {
    const std::size_t before = records.size();
    const Offset from = positions_.at(partition);
    Statement select = connection_.Prepare(
        fmt::format("SELECT offset, appended_ms, key, value FROM {} WHERE offset >= ?1",
                    RecordsTable(topic_, partition)));
    select.Bind(from.value);
    const auto bytes = [&](int column) {
      return select.IsNull(column) ? std::nullopt : std::optional(arena.Copy(select.Bytes(column)));
    };
    while (records.size() < records_max && arena.copied() < kPollBytesMax && select.Next()) {
      records.push_back({partition, Offset(select.I64(0)), select.I64(1), bytes(2), bytes(3)});
    }
    if (records.size() > before) return;
    positions_.erase(partition);
    throw Failure(ErrorCode::kOutOfRange, fmt::format("{}: what stood at {} and after is gone",
                                                      Named(partition), from.value));
  }

  const Topic topic_;
  const std::shared_ptr<LogEnds> ends_;
  Connection connection_;
  std::map<Partition, Offset> positions_;  // of the partitions being read: what comes next
  Partition last_read_{-1};
};

}  // namespace

std::unique_ptr<LogReader> NewLogReader(const std::string& path, Topic topic,
                                        std::shared_ptr<LogEnds> ends) {
  return std::make_unique<SqliteLogReader>(path, topic, std::move(ends));
}

Error AsLogError(Error error) {
  if (error.code == ErrorCode::kConflict) error.code = ErrorCode::kUnavailable;
  return error;
}

}  // namespace fanfold::sqlite
