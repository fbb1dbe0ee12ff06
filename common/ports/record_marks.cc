#include "common/ports/record_marks.h"

#include <fmt/format.h>
#include <utility>

#include "common/base/fnv1a.h"
#include "common/ports/applied_reader.h"

namespace fanfold {
namespace {

constexpr std::size_t kPollRecordsMax = 1'000;
constexpr std::int64_t kPollMs = 100;
// A partition that is stopped leaves a fetch behind, which the next one waits for: a short one.
constexpr ReaderOptions kAtOnce{.gather_ms = 5};

// The record before `position`.
std::optional<RecordMark> Before(Offset position) noexcept {
  if (position == Offset(0)) return std::nullopt;
  return RecordMark{Offset(position.value - 1), 0};
}

// Is the record that came the one that is looked for?
MarkFound FoundBy(const LogRecord& record, const RecordMark& mark) noexcept {
  if (record.offset != mark.offset) return {MarkStanding::kOther, 0};
  const std::uint64_t digest = DigestOf(record);
  const bool same = mark.digest == 0 || mark.digest == digest;
  return {same ? MarkStanding::kSame : MarkStanding::kOther, digest};
}

}  // namespace

std::uint64_t DigestOf(std::string_view key, std::string_view value) noexcept {
  std::uint64_t hash = Fnv1a(key);
  hash = Fnv1a(std::string_view("\0", 1), hash);
  hash = Fnv1a(value, hash);
  return hash == 0 ? 1 : hash;
}

std::optional<RecordMark> MarkOf(const LaneProgress& progress, bool deciding,
                                 Topic topic) noexcept {
  if (topic == topic.stream().applied()) {
    if (progress.applied_mark.digest != 0) return progress.applied_mark;
    return Before(deciding ? progress.outcome_offset : progress.next_offset);
  }
  if (progress.event_mark.digest != 0) return progress.event_mark;
  return deciding ? Before(progress.event_offset) : std::nullopt;
}

Result<LogReader*> MarkReader::ReaderOf(Topic topic) {
  std::unique_ptr<LogReader>& reader = readers_[topic];
  if (!reader) {
    const bool joins = topic.of_outcomes() && cut_ == Cut::kJoined;
    auto opened =
        joins ? NewAppliedReader(log_, topic.stream(), kAtOnce) : log_.NewReader(topic, kAtOnce);
    if (!opened) return Forward(opened);
    reader = *std::move(opened);
  }
  return reader.get();
}

std::vector<Result<MarkFound>> MarkReader::Look(Topic topic, std::span<const MarkAsked> asked) {
  std::vector<Result<MarkFound>> found;
  if (asked.empty()) return found;
  const Result<LogReader*> reader = ReaderOf(topic);
  if (!reader) return {asked.size(), std::unexpected(reader.error())};
  std::map<Partition, std::size_t> waits;  // by place in `asked`
  for (const MarkAsked& one : asked) {
    const Offset at = one.mark.offset;
    if (!one.held.MayStartAt(at) || at == one.held.end) {
      found.emplace_back(MarkFound{at < one.held.begin ? MarkStanding::kGone : MarkStanding::kCut});
      continue;
    }
    if ((*reader)->Start(one.partition, at)) waits[one.partition] = found.size();
    found.emplace_back(
        Fail(ErrorCode::kUnavailable, fmt::format("{}/{} does not give its record at {}",
                                                  topic.name(), one.partition.value, at.value)));
  }
  for (std::int64_t left_ms = kWaitMs; !waits.empty() && left_ms > 0;) {
    const std::size_t before = waits.size();
    if (const Result<LogBatch> batch = (*reader)->Poll(kPollRecordsMax, kPollMs)) {
      for (const LogRecord& record : batch->records) {
        const auto waiting = waits.find(record.partition);
        if (waiting == waits.end()) continue;
        const RecordMark& mark = asked[waiting->second].mark;
        if (record.offset < mark.offset) continue;
        found[waiting->second] = FoundBy(record, mark);
        (*reader)->Stop(record.partition);
        waits.erase(waiting);
      }
    }
    if (waits.size() == before) left_ms -= kPollMs;
  }
  for (const auto& [partition, at] : waits) (*reader)->Stop(partition);
  return found;
}

}  // namespace fanfold
