#include "operations/explain/row_story.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/ports/deployment_check.h"
#include "common/ports/row_kinds.h"
#include "operations/lanes/lanes.h"
#include "operations/log/partition_scan.h"

namespace fanfold::operations {
namespace {

// The row and where its lane stands, of one moment.
Status ReadTable(Context& context, Partition partition, RowStory& story) {
  const Result<std::unique_ptr<TableSnapshot>> snapshot = context.backend.OpenSnapshot(story.shard);
  if (!snapshot) return std::unexpected(snapshot.error());
  const Result<std::vector<LaneStatus>> lanes = (*snapshot)->Lanes();
  if (!lanes) return std::unexpected(lanes.error());
  const LaneId id{story.projection, story.generation, partition};
  const auto lane = std::ranges::find(*lanes, id, &LaneStatus::lane);
  if (lane == lanes->end()) return {};
  story.position = lane->progress.event_offset;
  if (!IsRewound(*lane)) story.verdict = RowVerdict::kAgrees;
  const RowKey before{UserId(story.user.value - 1), UserId(kUserIdMax)};
  const auto rows = (*snapshot)->Rows(story.projection, story.generation, before, story.user, 1);
  if (!rows) return std::unexpected(rows.error());
  if (!rows->empty()) story.found = rows->front().state;
  return {};
}

Status ReadLog(Context& context, EventLog& log, RowStory& story) {
  const Topic topic = story.projection.stream().applied();
  const std::int32_t partitions = context.backend.partitions();
  if (Status fits = CheckTopic(log, topic, partitions); !fits) return fits;
  const Partition partition = PartitionOf(story.user, partitions);
  const Result<LogBounds> bounds = log.Bounds(topic, partition);
  if (!bounds) return std::unexpected(bounds.error());
  const ScanRange range{topic, partition, bounds->begin, bounds->end};
  PartitionScan scan(context, log, range.records());
  Status scanned = scan.Run(range, [&](const LogRecord& record) {
    SaidRecords said;
    KindOf(story.projection).read(std::span(&record, 1), partitions, said);
    if (!said.front() || said.front()->key.subject != story.user) return;
    story.records.push_back(Copied(record));
    if (!story.position || said.front()->event >= *story.position) return;
    if (Moves(KindOf(story.projection), *said.front(), story.told))
      story.told = said.front()->state;
  });
  if (!scanned) return scanned;
  const bool is_whole =
      bounds->begin == Offset(0) && story.position.value_or(Offset(0)) <= bounds->end;
  const bool is_judged = story.verdict == RowVerdict::kAgrees && is_whole;
  if (!is_judged) story.verdict = RowVerdict::kNotJudged;
  if (is_judged && story.found != story.told) story.verdict = RowVerdict::kDiffers;
  return {};
}

}  // namespace

Result<std::vector<RowStory>> ExplainRows(Context& context, UserId user) {
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  const Result<Deployment> read = ReadNow(context.backend, *readers->front());
  if (!read) return std::unexpected(read.error());
  std::vector<RowStory> stories;
  for (const Projection projection : Projection::All()) {
    if (!KindOf(projection).one_a_user) continue;
    RowStory& story = stories.emplace_back();
    story.projection = projection;
    story.generation = read->read[projection];
    story.user = user;
    story.shard = read->placement.ShardOf(user);
    Status told = ReadTable(context, read->placement.PartitionOf(user), story);
    if (told) told = ReadLog(context, **log, story);
    if (!told) return Forward(told);
  }
  return stories;
}

}  // namespace fanfold::operations
