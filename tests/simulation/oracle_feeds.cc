// What the rows of feed state must be: what their events say, the latest of each.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/base/check.h"
#include "common/ports/feed_kind.h"
#include "tests/simulation/oracle.h"
#include "tests/support/memory_feeds.h"

namespace fanfold::simulation {
namespace {

constexpr std::size_t kRowsMax = 10'000;

}  // namespace

const Oracle::FeedEvents& Oracle::ReadFeedEvents() {
  while (true) {
    const Result<LogBatch> batch = shown_->Poll(kPolledMax, 0);
    FANFOLD_CHECK(batch.has_value(), "the log in memory is not read");
    if (batch->records.empty()) return feed_events_;
    for (const LogRecord& record : batch->records) {
      feed_events_[static_cast<std::size_t>(record.partition.value)].push_back(
          ReadFeedRecord(record.key, record.value, record.partition, kPartitions));
    }
  }
}

std::map<RowKey, FeedRow> Oracle::FeedsAt(Partition partition, Offset end) {
  std::map<RowKey, FeedRow> rows;
  const auto& line = ReadFeedEvents()[static_cast<std::size_t>(partition.value)];
  for (Offset at(0); at < end; at = Next(at)) {
    const auto& event = line.at(static_cast<std::size_t>(at.value));
    if (!event) continue;
    rows[KeyOf(event->owner, event->shown_id)] = RowOf(*event, Version(Next(at).value));
  }
  return rows;
}

void Oracle::AfterFeeds(Shard shard, const LaneBatch& batch) {
  for (const LaneMove& move : batch.moves) {
    Offset& at = rows_at_[IndexOf(shard)][move.lane];
    at = std::max(at, move.to.event_offset);
    CheckFeeds(shard, move.lane, at);
  }
}

void Oracle::CheckFeeds(Shard shard, const LaneId& lane, Offset end) {
  const std::map<RowKey, FeedRow> expected = FeedsAt(lane.partition, end);
  const auto images =
      adapters_.NewSnapshot(shard, nullptr)
          ->Rows(lane.projection, lane.generation, std::nullopt, UserId(kUserIdMax), kRowsMax);
  FANFOLD_CHECK(images.has_value() && images->size() < kRowsMax, "the tables are not read whole");
  std::map<RowKey, RowState> found;
  for (const RowImage& image : *images) {
    if (placement_.PartitionOf(image.key.user) == lane.partition) found[image.key] = image.state;
  }
  std::map<RowKey, RowState> states;
  std::map<UserId, std::vector<FeedRow>> by_owner;
  for (const auto& [key, row] : expected) {
    states[key] = StateOf(row);
    by_owner[key.user].push_back(row);
  }
  if (found != states) {
    return Complain(fmt::format("feed/{} in {} has {} rows that are not the {} of its events",
                                lane.partition.value, lane.generation.value, found.size(),
                                states.size()));
  }
  const auto reader = adapters_.NewReader(shard);
  for (const auto& [owner, rows] : by_owner) {
    const auto page = OpenShown(*reader)->Page(lane.generation, owner, ShownReader::kAboveAll,
                                               ShownReader::kRowsMax);
    FANFOLD_CHECK(page.has_value(), "the tables in memory are not read");
    if (page->posts == testing::ShownBy(rows)) continue;
    return Complain(fmt::format("what was shown to {} is told otherwise", owner.value));
  }
}

}  // namespace fanfold::simulation
