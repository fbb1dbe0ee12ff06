#include "operations/doctor/refused_events.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "operations/log/record_reader.h"
#include "operations/log/told_outcome.h"

namespace fanfold::operations {
namespace {

constexpr std::int64_t kOutcomesBackFirst = 1'000;
constexpr std::int64_t kOutcomesBackFactor = 8;
constexpr std::size_t kRefusedPolledMax = 10'000;
constexpr std::int64_t kRefusedPollMs = 200;

// The newest outcomes of a partition.
struct NewestOutcomes {
  Partition partition;
  LogBounds held;
  Offset from;            // read from here on
  bool is_whole = false;  // all that is young enough stands there

  void GoBack(std::int64_t records) {
    from = Offset(std::max(held.begin.value, held.end.value - records));
    is_whole = from == held.begin;
  }
};

Result<std::vector<NewestOutcomes>> AllOutcomes(EventLog& log, Topic topic, const LogEnds& ends) {
  const auto partitions = static_cast<std::int32_t>(ends.size());
  const Result<std::vector<LogBounds>> held = log.AllBounds(topic, partitions);
  if (!held) return std::unexpected(held.error());
  std::vector<NewestOutcomes> all;
  for (std::int32_t p = 0; p < partitions; ++p) {
    const Offset begin = (*held)[static_cast<std::size_t>(p)].begin;
    all.push_back({Partition(p), {begin, EndOf(ends, Partition(p))}, begin, false});
  }
  return all;
}

// Goes back, in ever longer steps, to a record that is older than `since_ms`.
Status GoBackTo(std::int64_t since_ms, EventLog& log, Topic topic,
                std::vector<NewestOutcomes>& all) {
  for (std::int64_t back = kOutcomesBackFirst; back <= kOutcomesBackMax;
       back *= kOutcomesBackFactor) {
    std::vector<NewestOutcomes*> open;
    std::vector<Position> asked;
    for (NewestOutcomes& one : all) {
      if (one.is_whole) continue;
      one.GoBack(back);
      if (one.is_whole) continue;
      open.push_back(&one);
      asked.push_back({one.partition, one.from});
    }
    const Result<StoredRecords> records = ReadFirstFrom(log, topic, asked);
    if (!records) return std::unexpected(records.error());
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::optional<StoredRecord>& record = (*records)[i];
      open[i]->is_whole = record && record->appended_ms < since_ms;
    }
  }
  return {};
}

void CountRefused(Stream stream, const LogRecord& record, RefusedEventsFacts& facts) {
  const std::optional<ToldOutcome> told = ReadTold(stream, record);
  if (!told || told->kind != "rejected") return;
  ++facts.events;
  ++facts.reasons[told->reason];
  const UserId user(told->of[0].value);
  if (facts.users.size() < kRefusedUsersMax || facts.users.contains(user)) ++facts.users[user];
}

// Reads them all until it is too late.
Status CountAll(EventLog& log, Topic topic, const std::vector<NewestOutcomes>& all,
                std::int64_t since_ms, const Clock& clock, std::int64_t late_ms,
                RefusedEventsFacts& facts) {
  Result<std::unique_ptr<LogReader>> reader = log.NewReader(topic);
  if (!reader) return Forward(reader);
  std::map<Partition, Offset> ends;
  for (const NewestOutcomes& one : all) {
    if (!one.is_whole) facts.more = true;
    if (one.from >= one.held.end) continue;
    ends[one.partition] = one.held.end;
    if (Status started = (*reader)->Start(one.partition, one.from); !started) return started;
  }
  while (!ends.empty() && clock.SteadyMs() < late_ms) {
    Result<LogBatch> batch = (*reader)->Poll(kRefusedPolledMax, kRefusedPollMs);
    if (!batch) return Forward(batch);
    for (const LogRecord& record : batch->records) {
      const auto end = ends.find(record.partition);
      if (end == ends.end()) continue;
      if (record.offset < end->second && record.appended_ms >= since_ms) {
        CountRefused(topic.stream(), record, facts);
      }
      if (Next(record.offset) < end->second) continue;
      (*reader)->Stop(record.partition);
      ends.erase(end);
    }
  }
  if (!ends.empty()) facts.more = true;
  return {};
}

}  // namespace

Result<RefusedEventsFacts> ReadRefused(EventLog& log, const AllEnds& ends, const Clock& clock) {
  RefusedEventsFacts facts;
  const std::int64_t since_ms = clock.NowMs() - kRefusedSinceMs;
  const std::int64_t late_ms = clock.SteadyMs() + kRefusedReadMs;
  for (const Stream stream : Stream::All()) {
    if (!stream.outcomes()) continue;
    const Topic topic = *stream.outcomes();
    Result<std::vector<NewestOutcomes>> all = AllOutcomes(log, topic, ends[topic]);
    if (!all) return Forward(all);
    Status read = GoBackTo(since_ms, log, topic, *all);
    if (read) read = CountAll(log, topic, *all, since_ms, clock, late_ms, facts);
    if (!read) return Forward(read);
  }
  return facts;
}

Check TellRefused(const RefusedEventsFacts& facts) {
  if (facts.events == 0) {
    const char* none = facts.more ? "no event was rejected, as far as the last hour could be read"
                                  : "no event was rejected in the last hour";
    return {"refused", none, {}};
  }
  std::string reasons;
  for (const auto& [reason, events] : facts.reasons) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, events);
  }
  const auto most = std::ranges::max_element(facts.users, {},
                                             &std::map<UserId, std::int64_t>::value_type::second);
  return {"refused",
          fmt::format("{}{} events were rejected in the last hour ({}), of user {} most: {}",
                      facts.more ? "at least " : "", facts.events, reasons, most->first.value,
                      most->second),
          {}};
}

}  // namespace fanfold::operations
