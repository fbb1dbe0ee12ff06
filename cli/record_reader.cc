#include "cli/record_reader.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>

namespace fanfold {
namespace {

using Clock = std::chrono::steady_clock;
using Found = std::map<Position, StoredRecord>;

constexpr std::size_t kPollRecordsMax = 256;

// At most one position a partition.
using Round = std::map<Partition, Offset>;

std::vector<Round> RoundsOf(const std::vector<Position>& positions) {
  std::vector<Round> rounds;
  for (const Position& position : positions) {
    std::size_t i = 0;
    while (i < rounds.size() && rounds[i].contains(position.partition) &&
           rounds[i][position.partition] != position.offset) {
      ++i;
    }
    if (i == rounds.size()) rounds.emplace_back();
    rounds[i][position.partition] = position.offset;
  }
  return rounds;
}

StoredRecord Kept(const LogRecord& record) {
  StoredRecord kept{{record.partition, record.offset}, record.appended_ms, {}, {}};
  if (record.key) kept.key = std::string(*record.key);
  if (record.value) kept.value = std::string(*record.value);
  return kept;
}

// Starts those that are there; takes the others out of the round.
Status StartRound(EventLog& log, Topic topic, LogReader& reader, Round& round) {
  std::vector<Partition> partitions;
  for (const auto& [partition, offset] : round) partitions.push_back(partition);
  std::vector<Result<LogBounds>> bounds = log.BoundsOf(topic, partitions);
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (!bounds[i]) return Forward(bounds[i]);
    const Offset offset = round[partitions[i]];
    if (offset < bounds[i]->begin || offset >= bounds[i]->end) {
      round.erase(partitions[i]);
    } else if (Status started = reader.Start(partitions[i], offset); !started) {
      return started;
    }
  }
  return {};
}

Status ReadRound(LogReader& reader, Round& round, Clock::time_point deadline, Found& found) {
  while (!round.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) break;
    Result<LogBatch> batch = reader.Poll(kPollRecordsMax, left.count());
    if (!batch) return Forward(batch);
    for (const LogRecord& record : batch->records) {
      const auto wanted = round.find(record.partition);
      if (wanted == round.end() || record.offset != wanted->second) continue;
      found.insert({Position{record.partition, record.offset}, Kept(record)});
      reader.Stop(record.partition);
      round.erase(wanted);
    }
  }
  for (const auto& [partition, offset] : round) reader.Stop(partition);
  return {};
}

}  // namespace

Result<std::vector<std::optional<StoredRecord>>> ReadRecords(
    EventLog& log, Topic topic, const std::vector<Position>& positions) {
  Found found;
  if (!positions.empty()) {
    Result<std::unique_ptr<LogReader>> reader = log.NewReader(topic);
    if (!reader) return Forward(reader);
    const auto deadline = Clock::now() + std::chrono::milliseconds(kRecordReadTimeoutMs);
    for (Round& round : RoundsOf(positions)) {
      Status done = StartRound(log, topic, **reader, round);
      if (done) done = ReadRound(**reader, round, deadline, found);
      if (!done) return Forward(done);
    }
  }
  std::vector<std::optional<StoredRecord>> records;
  for (const Position& position : positions) {
    const auto entry = found.find(position);
    records.push_back(entry == found.end() ? std::nullopt
                                           : std::optional<StoredRecord>(entry->second));
  }
  return records;
}

}  // namespace fanfold
