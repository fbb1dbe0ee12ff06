#include "reader/changes/change_log_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace fanfold::reader {

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
    next.push_back(place.Next(stream, Partition(p)));
    const Offset from = std::min(next.back(), held.end);
    if (!held.MayStartAt(from)) {
      return Fail(ErrorCode::kOutOfRange,
                  fmt::format("{} of partition {} begins at {} by now", stream.applied().name(), p,
                              held.begin.value));
    }
    if (Status started = (*reader)->Start(Partition(p), from); !started) return Forward(started);
  }
  return ChangeLogReader(stream, *std::move(reader), std::move(next));
}

Result<std::vector<ChangeBoard::Told>> ChangeLogReader::Poll(std::size_t records_max,
                                                             std::int64_t timeout_ms) {
  const Result<LogBatch> batch = reader_->Poll(records_max, timeout_ms);
  if (!batch) return std::unexpected(batch.error());
  std::vector<ChangeBoard::Told> told;
  for (const LogRecord& record : batch->records) {
    Offset& next = next_[static_cast<std::size_t>(record.partition.value)];
    auto read = ReadRecord(stream_, record, next, static_cast<std::int32_t>(next_.size()));
    if (!read) return Forward(read);
    if (!*read) continue;
    next = Next(next);
    std::optional<Change>& change = (*read)->change;
    told.push_back({{stream_, {record.partition, (*read)->event}},
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
      place.Next(stream, Partition(p)) = (*bounds)[static_cast<std::size_t>(p)].end;
    }
  }
  return place;
}

}  // namespace fanfold::reader
