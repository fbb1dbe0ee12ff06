#include "common/ports/feed_kind.h"

#include <fmt/format.h>
#include <string>

#include "common/base/fnv1a.h"

namespace fanfold {
namespace {

void ReadShown(std::span<const LogRecord> records, std::int32_t partitions, SaidRecords& said) {
  for (const LogRecord& record : records) {
    const auto event = ReadFeedRecord(record.key, record.value, record.partition, partitions);
    if (!event) {
      said.emplace_back();
      continue;
    }
    const Version version(Next(record.offset).value);
    said.push_back(SaidRecord{.event = record.offset,
                              .moves = true,
                              .key = {event->owner, UserId(event->shown_id.value)},
                              .state = StateOf(RowOf(*event, version))});
  }
}

std::string DescribeShown(const RowState& state) {
  return fmt::format("version {}, {} {:016x}", state.version.value,
                     IsActiveFeedRow(state) ? "shown" : "forgotten", state.content);
}

DifferenceKind CompareShown(const RowState& found, const RowState& expected) {
  return found.content != expected.content ? kWrongShown : DifferenceKind::kWrongVersion;
}

}  // namespace

RowState StateOf(const FeedRow& row) {
  if (row.version == Version(0)) return {};
  const std::uint64_t digest =
      Fnv1a(fmt::format("{} {} {}", row.author.value, row.post_id.value, row.at_ms));
  return {row.version, (digest << 1U) | std::uint64_t{row.active}};
}

constexpr RowKind kFeedRows{.read = ReadShown,
                            .describe = DescribeShown,
                            .compare = CompareShown,
                            .is_counted = [](const RowState&) { return false; }};

}  // namespace fanfold
