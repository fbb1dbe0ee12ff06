#include "projector/feed/owned_tail.h"

namespace fanfold::projector {

bool OwnedTail::Step(const From& from, const Proof& proof, const Take& take,
                     std::int64_t timeout_ms, std::vector<Error>& failures) {
  Sync(from, failures);
  if (read_.empty()) return false;
  const Result<LogBatch> batch = reader_->Poll(kRecordsMax, timeout_ms);
  const bool any = batch && !batch->records.empty();
  const Status same = any ? proof() : Status();
  if (!batch || !same) {
    failures.push_back(batch ? same.error() : batch.error());
    Forget();
    return false;
  }
  std::map<Partition, std::vector<LogRecord>> come;
  for (const LogRecord& record : batch->records) come[record.partition].push_back(record);
  for (const auto& [partition, records] : come) {
    if (!read_.contains(partition)) continue;
    if (const Status taken = take(partition, records); !taken) {
      failures.push_back(taken.error());
      Stop(partition);
    }
  }
  return !come.empty();
}

void OwnedTail::Forget() {
  read_.clear();
  reader_.reset();
}

void OwnedTail::Stop(Partition partition) {
  reader_->Stop(partition);
  read_.erase(partition);
}

void OwnedTail::Sync(const From& from, std::vector<Error>& failures) {
  for (std::int32_t p = 0; p < ports_.shape.partitions; ++p) {
    const Partition partition(p);
    const bool is_read = read_.contains(partition);
    if (ports_.owns(partition) == is_read) continue;
    if (is_read) {
      Stop(partition);
      continue;
    }
    const Result<Offset> begin = from(partition);
    if (!begin) {
      failures.push_back(begin.error());
      continue;
    }
    if (!reader_) {
      Result<std::unique_ptr<LogReader>> opened = ports_.log.NewReader(topic_);
      if (!opened) {
        failures.push_back(opened.error());
        return;
      }
      reader_ = *std::move(opened);
    }
    if (const Status started = reader_->Start(partition, *begin); !started) {
      failures.push_back(started.error());
      continue;
    }
    read_.insert(partition);
  }
}

}  // namespace fanfold::projector
