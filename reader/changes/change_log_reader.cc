#include "reader/changes/change_log_reader.h"

#include <algorithm>
#include <utility>

#include "common/ports/record_marks.h"
#include "reader/freshness/expected_outcome.h"

namespace fanfold::reader {
namespace {

constexpr std::size_t kTailPollRecordsMax = 1'000;
constexpr std::int64_t kTailPollMs = 100;

}  // namespace

// The outcome of event n is record n of its partition or a later one: copies come on top.
Result<ChangeLogReader> ChangeLogReader::Open(EventLog& log, Stream stream,
                                              const ChangePlace& place) {
  const auto bounds = log.AllBounds(stream.applied(), place.partitions());
  if (!bounds) return std::unexpected(bounds.error());
  Result<std::unique_ptr<LogReader>> reader = log.NewReader(stream.applied());
  if (!reader) return Forward(reader);
  std::vector<Offset> next;
  for (std::int32_t p = 0; p < place.partitions(); ++p) {
    const LogBounds& held = (*bounds)[static_cast<std::size_t>(p)];
    const ChangePlace::Stand& stand = place.At(stream, Partition(p));
    const bool learns = stand.IsUnknown() && held.begin < stand.next;
    next.push_back(learns ? Offset(stand.next.value - 1) : stand.next);
    // Behind copies the event may be held though the record of its number is gone.
    const Offset from = std::clamp(next.back(), held.begin, held.end);
    if (Status started = (*reader)->Start(Partition(p), from); !started) return Forward(started);
  }
  return ChangeLogReader(stream, *std::move(reader), std::move(next));
}

Result<ChangeLogReader> ChangeLogReader::OpenAtEnd(EventLog& log, Stream stream,
                                                   ChangePlace& place) {
  const auto bounds = log.AllBounds(stream.applied(), place.partitions());
  if (!bounds) return std::unexpected(bounds.error());
  Result<std::unique_ptr<LogReader>> opened = log.NewReader(stream.applied());
  if (!opened) return Forward(opened);
  ChangeLogReader reader(stream, *std::move(opened), {});
  std::vector<Offset> ends;
  for (std::int32_t p = 0; p < place.partitions(); ++p) {
    const LogBounds& held = (*bounds)[static_cast<std::size_t>(p)];
    const Offset from(std::max(held.begin.value, held.end.value - kTailRecords));
    if (Status started = reader.reader_->Start(Partition(p), from); !started) {
      return Forward(started);
    }
    ends.push_back(held.begin == held.end ? Offset(0) : held.end);
  }
  Result<ChangePlace> told = reader.ReadTail(std::move(ends), place.partitions());
  if (!told) return Forward(told);
  const auto events = log.AllBounds(stream.events(), place.partitions());
  if (!events) return std::unexpected(events.error());
  for (std::int32_t p = 0; p < place.partitions(); ++p) {
    const ChangePlace::Stand& last = told->At(stream, Partition(p));
    const Offset end = (*events)[static_cast<std::size_t>(p)].end;
    // Below the end something is to be decided, or copies have hidden what was told last.
    const bool is_told = last.next > Offset(0) && last.next == end;
    place.At(stream, Partition(p)) = is_told ? last : ChangePlace::Stand{end};
    reader.next_.push_back(place.At(stream, Partition(p)).next);
  }
  return reader;
}

Result<ChangePlace> ChangeLogReader::ReadTail(std::vector<Offset> ends, std::int32_t partitions) {
  ChangePlace told(partitions);
  const auto is_read = [](Offset end) { return end == Offset(0); };
  for (std::int64_t left_ms = kWaitMs; left_ms > 0 && !std::ranges::all_of(ends, is_read);) {
    const Result<LogBatch> batch = reader_->Poll(kTailPollRecordsMax, kTailPollMs);
    if (!batch) return std::unexpected(batch.error());
    for (const LogRecord& record : batch->records) {
      Offset& end = ends[static_cast<std::size_t>(record.partition.value)];
      if (fanfold::Next(record.offset) >= end) end = Offset(0);
      const auto read = ReadRecord(stream_, record, partitions);
      if (!read) continue;
      const StreamPosition event{stream_, read->position};
      if (!told.HasPassed(event)) told.Pass(event, DigestOf(record));
    }
    left_ms = batch->records.empty() ? left_ms - kTailPollMs : kWaitMs;
  }
  return told;
}

Result<std::vector<ToldEvent>> ChangeLogReader::Poll(std::size_t records_max,
                                                     std::int64_t timeout_ms) {
  const Result<LogBatch> batch = reader_->Poll(records_max, timeout_ms);
  if (!batch) return std::unexpected(batch.error());
  std::vector<ToldEvent> told;
  for (const LogRecord& record : batch->records) {
    Offset& next = next_[static_cast<std::size_t>(record.partition.value)];
    auto read = ReadRecord(stream_, record, static_cast<std::int32_t>(next_.size()));
    const Result<Expected> expected = Expect(read, record, next);
    if (!expected) return std::unexpected(expected.error());
    if (*expected != Expected::kNext) continue;
    next = Next(next);
    std::optional<Change>& change = read->change;
    told.push_back({{stream_, read->position},
                    DigestOf(record),
                    change ? std::make_shared<Change>(*std::move(change)) : nullptr});
  }
  return told;
}

Result<ChangePlace> ChangeLogReader::Ends(EventLog& log, std::int32_t partitions) {
  ChangePlace place(partitions);
  for (const Stream stream : kChangeStreams) {
    const auto bounds = log.AllBounds(stream.events(), partitions);
    if (!bounds) return std::unexpected(bounds.error());
    for (std::int32_t p = 0; p < partitions; ++p) {
      place.At(stream, Partition(p)).next = (*bounds)[static_cast<std::size_t>(p)].end;
    }
  }
  return place;
}

}  // namespace fanfold::reader
