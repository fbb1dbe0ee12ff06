#include "operations/explain/feed_story.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/ports/deployment_check.h"
#include "common/ports/post_reader.h"
#include "operations/explain/explain.h"
#include "operations/lanes/lanes.h"
#include "operations/log/partition_scan.h"

namespace fanfold::operations {
namespace {

void AddEvent(const LogRecord& record, std::int32_t partitions, PostStory& story) {
  const auto event = ReadPostRecord(record.key, record.value, record.partition, partitions);
  if (!event || event->author != story.author || event->post_id != story.post) return;
  if (story.events.size() == PostStory::kEventsKeptMax) {
    story.events.erase(story.events.begin());
    ++story.left_out;
  }
  story.events.push_back({{record.partition, record.offset}, record.appended_ms, *event, {}});
}

void AddOutcome(const LogRecord& record, PostStory& story) {
  const auto outcome = ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome);
  if (!outcome || outcome->author != story.author || outcome->post_id != story.post) return;
  const auto told =
      std::ranges::lower_bound(story.events, outcome->position.offset, {},
                               [](const PostTold& one) { return one.position.offset; });
  const bool is_kept = told != story.events.end() && told->position == outcome->position;
  if (is_kept) told->outcome = *outcome;
  if (outcome->position.offset >= story.position) return;
  if (outcome->kind == PostOutcomeKind::kPosted) story.told = {outcome->score, story.post};
  if (outcome->kind == PostOutcomeKind::kPostDeleted) story.told.reset();
}

// Before the log, so that its end is not below where the row stands.
Status ReadRow(Backend& backend, PostStory& story) {
  Result<ShardReaders> readers = OpenReaders(backend);
  if (!readers) return Forward(readers);
  const Result<Deployment> read = ReadNow(backend, *readers->front());
  if (!read) return std::unexpected(read.error());
  story.generation = read->read[projections::kPosts];
  story.shard = read->placement.ShardOf(story.author);
  ProjectionReader& reader = *(*readers)[static_cast<std::size_t>(story.shard.value)];
  const Result<PostView> view =
      OpenPosts(reader)->One(story.generation, story.author, story.partition, story.post);
  if (!view) return std::unexpected(view.error());
  if (!view->posts.empty()) story.row = view->posts.front().place;
  story.position = view->position;
  story.rewound = view->rewound;
  return {};
}

Status ReadLog(Context& context, PostStory& story) {
  const Result<std::shared_ptr<EventLog>> log = context.backend.OpenLog();
  if (!log) return std::unexpected(log.error());
  const std::int32_t partitions = context.backend.partitions();
  if (Status fits = CheckTopic(**log, topics::kPostEvents, partitions); !fits) return fits;
  const Result<LogBounds> events = (*log)->Bounds(topics::kPostEvents, story.partition);
  if (!events) return std::unexpected(events.error());
  const Result<LogBounds> outcomes = (*log)->Bounds(topics::kPostOutcomes, story.partition);
  if (!outcomes) return std::unexpected(outcomes.error());
  story.events_begin = events->begin;
  story.events_end = events->end;
  const ScanRange asked{topics::kPostEvents, story.partition, events->begin, events->end};
  const ScanRange decided{topics::kPostOutcomes, story.partition, outcomes->begin, outcomes->end};
  PartitionScan scan(context, **log, asked.records() + decided.records());
  Offset decided_end;
  Status scanned =
      scan.Run(asked, [&](const LogRecord& record) { AddEvent(record, partitions, story); });
  if (!scanned) return scanned;
  scanned = scan.Run(decided, [&](const LogRecord& record) {
    const auto outcome = ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome);
    if (outcome) decided_end = std::max(decided_end, Next(outcome->position.offset));
    AddOutcome(record, story);
  });
  if (!scanned) return scanned;
  const bool is_judged =
      outcomes->begin == Offset(0) && !story.rewound && story.position <= decided_end;
  if (!is_judged) return {};
  story.verdict = story.row == story.told ? RowVerdict::kAgrees : RowVerdict::kDiffers;
  return {};
}

}  // namespace

bool FeedStory::is_followed() const noexcept {
  return std::ranges::any_of(follow.tables, [](const EdgeTable& table) {
    return table.projection == ProjectionOf(Direction::kFollowing) && table.view.edge &&
           table.view.edge->active;
  });
}

Result<FeedStory> ExplainFeed(Context& context, UserId owner, UserId author, PostId post) {
  Result<EdgeStory> follow = Explain(context, owner, author);
  if (!follow) return Forward(follow);
  FeedStory story{*std::move(follow), {}};
  story.post.author = author;
  story.post.post = post;
  story.post.partition = PartitionOf(author, context.backend.partitions());
  Status told = ReadRow(context.backend, story.post);
  if (told) told = ReadLog(context, story.post);
  if (!told) return Forward(told);
  return story;
}

}  // namespace fanfold::operations
