#include "reader/changes/change_proof.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <utility>

#include "common/base/cause_filter.h"
#include "reader/changes/change_log_reader.h"

namespace fanfold::reader {
namespace {

constexpr std::size_t kPollRecordsMax = 256;
constexpr std::int64_t kPollMs = 20;

std::unexpected<Error> IsGone(Stream stream, Partition partition, Offset first) {
  return Fail(ErrorCode::kOutOfRange,
              fmt::format("{} of partition {} begins at {} by now", stream.applied().name(),
                          partition.value, first.value));
}

// One place, asked of the log.
class Prover {
 public:
  Prover(EventLog& log, ChangePlace& place, const Clock& clock, const std::stop_token& stop)
      : log_(log),
        place_(place),
        clock_(clock),
        stop_(stop),
        until_ms_(clock.SteadyMs() + kProofWaitMs) {}

  // Of the streams of a place before the first event, moves it to the first that is held; of others
  // nothing behind the place may be gone. `ends` is where the events end.
  [[nodiscard]] Status Begin(const ChangePlace& ends, bool from_the_first);
  // What told the events before the place.
  [[nodiscard]] Status Learn();

 private:
  [[nodiscard]] Result<ChangePlace> FirstHeld(Stream stream, const ChangePlace& ends) const;
  [[nodiscard]] Status ReadFirst(Stream stream, std::map<Partition, Offset> from,
                                 ChangePlace& first) const;
  [[nodiscard]] Status Learn(Stream stream);
  [[nodiscard]] bool IsUnknown(Stream stream) const;
  [[nodiscard]] Status MayWait(Stream stream) const;

  EventLog& log_;
  ChangePlace& place_;
  const Clock& clock_;
  const std::stop_token& stop_;
  const std::int64_t until_ms_;
};

Status Prover::Begin(const ChangePlace& ends, bool from_the_first) {
  for (const Stream stream : kChangeStreams) {
    Result<ChangePlace> first = FirstHeld(stream, ends);
    if (!first) return Forward(first);
    for (const Partition partition : AllPartitions(place_.partitions())) {
      const Offset held = first->At(stream, partition).next;
      ChangePlace::Stand& stand = place_.At(stream, partition);
      if (held <= stand.next) continue;
      if (!from_the_first) return IsGone(stream, partition, held);
      stand = {held};
    }
  }
  return {};
}

// Behind copies an event may be held though the record of its number is gone.
Result<ChangePlace> Prover::FirstHeld(Stream stream, const ChangePlace& ends) const {
  const auto bounds = log_.AllBounds(stream.applied(), place_.partitions());
  if (!bounds) return std::unexpected(bounds.error());
  ChangePlace first = place_;
  std::map<Partition, Offset> from;
  for (const Partition partition : AllPartitions(place_.partitions())) {
    const LogBounds& held = (*bounds)[static_cast<std::size_t>(partition.value)];
    Offset& next = first.At(stream, partition).next;
    if (held.begin <= next) continue;
    if (held.begin < held.end) {
      from[partition] = held.begin;
    } else {
      next = ends.At(stream, partition).next;
    }
  }
  if (Status read = ReadFirst(stream, std::move(from), first); !read) return Forward(read);
  return first;
}

Status Prover::ReadFirst(Stream stream, std::map<Partition, Offset> from,
                         ChangePlace& first) const {
  if (from.empty()) return {};
  Result<std::unique_ptr<LogReader>> reader = log_.NewReader(stream.applied());
  if (!reader) return Forward(reader);
  for (const auto& [partition, begin] : from) {
    if (Status started = (*reader)->Start(partition, begin); !started) return started;
  }
  while (!from.empty()) {
    const Result<LogBatch> batch = (*reader)->Poll(kPollRecordsMax, kPollMs);
    if (!batch) return std::unexpected(batch.error());
    for (const LogRecord& record : batch->records) {
      const auto read = ReadRecord(stream, record, place_.partitions());
      if (!read || from.erase(record.partition) == 0) continue;
      (*reader)->Stop(record.partition);
      first.At(stream, record.partition).next = read->position.offset;
    }
    if (Status may = MayWait(stream); !may) return may;
  }
  return {};
}

Status Prover::Learn() {
  for (const Stream stream : kChangeStreams) {
    if (!IsUnknown(stream)) continue;
    if (Status learned = Learn(stream); !learned) return learned;
  }
  return {};
}

Status Prover::Learn(Stream stream) {
  Result<ChangeLogReader> reader = ChangeLogReader::Open(log_, stream, place_);
  if (!reader) return Forward(reader);
  for (const Partition partition : AllPartitions(place_.partitions())) {
    const ChangePlace::Stand& stand = place_.At(stream, partition);
    const bool is_held = reader->NextOf(partition) < stand.next;
    if (stand.IsUnknown() && !is_held) return IsGone(stream, partition, stand.next);
  }
  const auto stop_known = [&] {
    for (const Partition partition : AllPartitions(place_.partitions())) {
      if (!place_.At(stream, partition).IsUnknown()) reader->Stop(partition);
    }
  };
  for (stop_known(); IsUnknown(stream); stop_known()) {
    const auto told = reader->Poll(kPollRecordsMax, kPollMs);
    if (!told) return std::unexpected(told.error());
    for (const ToldEvent& one : *told) {
      if (place_.HasPassed(one.event)) place_.Pass(one.event, one.digest);
    }
    if (Status may = MayWait(stream); !may) return may;
  }
  return {};
}

bool Prover::IsUnknown(Stream stream) const {
  return std::ranges::any_of(AllPartitions(place_.partitions()), [&](Partition partition) {
    return place_.At(stream, partition).IsUnknown();
  });
}

Status Prover::MayWait(Stream stream) const {
  if (!stop_.stop_requested() && clock_.SteadyMs() < until_ms_) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("{} does not give the records of this place", stream.applied().name()));
}

}  // namespace

Error OtherEvents() {
  return {ErrorCode::kOutOfRange,
          "the log does not hold this place, or tells other events before it"};
}

Error ToldOfLog(const Error& why, const Clock& clock) {
  static CauseFilter causes;
  LogCause(causes, LogLevel::kWarning, "changes are not told", why.message, clock.SteadyMs());
  if (why.code == ErrorCode::kOutOfRange) return OtherEvents();
  return {ErrorCode::kUnavailable, "the log cannot be read; the process logs why"};
}

Status ProvePlace(EventLog& log, ChangeId& id, const Clock& clock, const std::stop_token& stop) {
  const Result<ChangePlace> ends = ChangeLogReader::Ends(log, id.place.partitions());
  if (!ends) return std::unexpected(ends.error());
  if (!ends->Reaches(id.place)) {
    return Fail(ErrorCode::kOutOfRange, "the log ends below this place");
  }
  const bool from_the_first = id.place == ChangePlace(id.place.partitions());
  Prover prover(log, id.place, clock, stop);
  if (Status begun = prover.Begin(*ends, from_the_first); !begun) return begun;
  if (from_the_first || !id.proof) return {};
  if (Status learned = prover.Learn(); !learned) return learned;
  return id.place.Proof() == id.proof ? Status() : std::unexpected(OtherEvents());
}

}  // namespace fanfold::reader
