#include "operations/explain/explain.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "common/ports/deployment_check.h"
#include "common/stream/slot.h"
#include "operations/explain/edge_story.h"
#include "operations/explain/stray_events.h"
#include "operations/lanes/lanes.h"
#include "operations/log/partition_scan.h"

namespace fanfold::operations {
namespace {

EdgeKey KeyOf(const EdgeTable& table, const EdgeStory& story) {
  return {table.user, OtherIn(ListsOf(table.projection), story.subject, story.object)};
}

// The row as it is now, and how its lane does.
Status ReadTable(ProjectionReader& reader, const EdgeStory& story, EdgeTable& table) {
  Result<EdgeView> view = reader.EdgeAt(ListsOf(table.projection), table.generation,
                                        KeyOf(table, story), story.partition);
  if (!view) return Forward(view);
  table.view = *view;
  Result<std::vector<LaneStatus>> lanes = reader.Lanes();
  if (!lanes) return Forward(lanes);
  const LaneId lane{table.projection, table.generation, story.partition};
  const auto found = std::ranges::find(*lanes, lane, &LaneStatus::lane);
  if (found == lanes->end()) return {};
  table.state = found->state;
  table.state_reason = found->state_reason;
  return {};
}

// The rows before the log, so that the log's end is not below where the rows stand.
Status ReadTables(Backend& backend, const ShardReaders& readers, EdgeStory& story) {
  const Result<Deployment> read = ReadNow(backend, *readers.front());
  if (!read) return std::unexpected(read.error());
  const auto add = [&](Direction list, UserId user) {
    EdgeTable& table = story.tables.emplace_back();
    table.projection = ProjectionOf(list);
    table.generation = read->read[list];
    table.shard = read->placement.ShardOf(user);
    table.user = user;
  };
  add(Direction::kFollowing, story.subject);
  add(Direction::kFans, story.object);
  for (EdgeTable& table : story.tables) {
    ProjectionReader& reader = *readers[static_cast<std::size_t>(table.shard.value)];
    if (Status told = ReadTable(reader, story, table); !told) return told;
  }
  return {};
}

void JudgeTables(const EdgeHistory& history, bool whole_log, EdgeStory& story) {
  for (std::size_t i = 0; i < story.tables.size(); ++i) {
    EdgeTable& table = story.tables[i];
    const Offset position = table.view.position.value_or(Offset(0));
    if (!whole_log || table.view.rewound || position > history.outcomes_end()) continue;
    table.told = history.StateAt(i);
    table.verdict = Judge(table.view, table.told);
  }
}

Status ReadLog(Context& context, EventLog& log, EdgeStory& story) {
  const Result<LogBounds> events = log.Bounds(topics::kRelationEvents, story.partition);
  if (!events) return std::unexpected(events.error());
  const Result<LogBounds> outcomes = log.Bounds(topics::kRelationOutcomes, story.partition);
  if (!outcomes) return std::unexpected(outcomes.error());
  story.events_begin = events->begin;
  story.events_end = events->end;
  std::vector<Offset> stands;
  stands.reserve(story.tables.size());
  for (const EdgeTable& table : story.tables) {
    stands.push_back(table.view.position.value_or(Offset(0)));
  }
  EdgeHistory history(story.subject, story.object, stands);
  const ScanRange of_events{topics::kRelationEvents, story.partition, events->begin, events->end};
  const ScanRange of_outcomes{topics::kRelationOutcomes, story.partition, outcomes->begin,
                              outcomes->end};
  PartitionScan scan(context, log, of_events.records() + of_outcomes.records());
  Status scanned = scan.Run(of_events, [&](const LogRecord& record) { history.AddEvent(record); });
  if (!scanned) return scanned;
  scanned = scan.Run(of_outcomes, [&](const LogRecord& record) { history.AddOutcome(record); });
  if (!scanned) return scanned;
  story.events.assign(history.events().begin(), history.events().end());
  story.left_out = history.left_out();
  story.unreadable = history.unreadable();
  JudgeTables(history, outcomes->begin == Offset(0), story);
  return {};
}

Status Tell(Context& context, EdgeStory& story) {
  Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return Forward(log);
  const std::int32_t partitions = context.backend.partitions();
  Status fits = CheckTopic(**log, topics::kRelationEvents, partitions);
  if (!fits) return fits;
  story.partition = PartitionOf(story.subject, partitions);
  Result<ShardReaders> readers = OpenReaders(context.backend);
  if (!readers) return Forward(readers);
  if (Status read = ReadTables(context.backend, *readers, story); !read) return read;
  if (Status read = ReadLog(context, **log, story); !read) return read;
  Result<StrayEvents> strays =
      FindStrays(*readers, **log, story.subject, story.object, story.partition);
  if (!strays) return Forward(strays);
  story.strays = std::move(*strays);
  return {};
}

}  // namespace

Result<EdgeStory> Explain(Context& context, UserId subject, UserId object) {
  if (RefuseAtOnce(subject, object)) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{} cannot follow themselves: subject and object must differ", subject.value));
  }
  EdgeStory story;
  story.subject = subject;
  story.object = object;
  if (Status told = Tell(context, story); !told) return Forward(told);
  return story;
}

}  // namespace fanfold::operations
