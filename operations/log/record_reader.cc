#include "operations/log/record_reader.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>

namespace fanfold::operations {
namespace {

using Clock = std::chrono::steady_clock;
using Found = std::map<Position, StoredRecord>;  // by what was asked for

enum class Wanted : std::uint8_t { kAtPosition, kFirstFrom };

constexpr std::size_t kLookRecordsMax = 256;

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

// Starts those that may be there; takes the others out of the round.
Status StartRound(EventLog& log, Topic topic, LogReader& reader, Wanted wanted, Round& round) {
  std::vector<Partition> partitions;
  for (const auto& [partition, offset] : round) partitions.push_back(partition);
  std::vector<Result<LogBounds>> bounds = log.BoundsOf(topic, partitions);
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (!bounds[i]) return Forward(bounds[i]);
    const Offset offset = round[partitions[i]];
    const bool is_gone = offset < bounds[i]->begin && wanted == Wanted::kAtPosition;
    const Offset from = std::max(offset, bounds[i]->begin);
    if (is_gone || from >= bounds[i]->end) {
      round.erase(partitions[i]);
    } else if (Status started = reader.Start(partitions[i], from); !started) {
      return started;
    }
  }
  return {};
}

Status ReadRound(LogReader& reader, Wanted wanted, Round& round, Clock::time_point deadline,
                 Found& found) {
  while (!round.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) break;
    Result<LogBatch> batch = reader.Poll(kLookRecordsMax, left.count());
    if (!batch) return Forward(batch);
    for (const LogRecord& record : batch->records) {
      const auto asked = round.find(record.partition);
      if (asked == round.end() || record.offset < asked->second) continue;
      if (wanted == Wanted::kFirstFrom || record.offset == asked->second) {
        found.insert({Position{record.partition, asked->second}, Copied(record)});
      }
      reader.Stop(record.partition);
      round.erase(asked);
    }
  }
  for (const auto& [partition, offset] : round) reader.Stop(partition);
  return {};
}

Result<StoredRecords> Read(EventLog& log, Topic topic, Wanted wanted,
                           const std::vector<Position>& positions) {
  Found found;
  if (!positions.empty()) {
    Result<std::unique_ptr<LogReader>> reader = log.NewReader(topic);
    if (!reader) return Forward(reader);
    const auto deadline = Clock::now() + std::chrono::milliseconds(kRecordReadTimeoutMs);
    for (Round& round : RoundsOf(positions)) {
      Status done = StartRound(log, topic, **reader, wanted, round);
      if (done) done = ReadRound(**reader, wanted, round, deadline, found);
      if (!done) return Forward(done);
    }
  }
  StoredRecords records;
  for (const Position& position : positions) {
    const auto entry = found.find(position);
    records.push_back(entry == found.end() ? std::nullopt
                                           : std::optional<StoredRecord>(entry->second));
  }
  return records;
}

}  // namespace

StoredRecord Copied(const LogRecord& record) {
  StoredRecord copy{{record.partition, record.offset}, record.appended_ms, {}, {}};
  if (record.key) copy.key = std::string(*record.key);
  if (record.value) copy.value = std::string(*record.value);
  return copy;
}

Result<StoredRecords> ReadRecords(EventLog& log, Topic topic,
                                  const std::vector<Position>& positions) {
  return Read(log, topic, Wanted::kAtPosition, positions);
}

Result<StoredRecords> ReadFirstFrom(EventLog& log, Topic topic,
                                    const std::vector<Position>& positions) {
  return Read(log, topic, Wanted::kFirstFrom, positions);
}

}  // namespace fanfold::operations
