// What the rows and outcomes of posts must be: the decisions about their events, in order.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/base/check.h"
#include "common/ports/post_reader.h"
#include "projector/runtime/outbox_codec.h"
#include "tests/simulation/oracle.h"

namespace fanfold::simulation {
namespace {

std::size_t LineOf(Partition partition) { return static_cast<std::size_t>(partition.value); }

// Rows as they come of events, one after the other; whose author has ended, who decided says.
class Deciding {
 public:
  explicit Deciding(const Oracle& oracle) : oracle_(oracle) {}

  // What becomes of the next one.
  PostOutcome Next(const std::expected<PostEvent, Unreadable>& event, Position position) {
    if (!event) return ParkPost(position, event.error().reason, event.error().event_id);
    PostRow& row = rows_[KeyOf(event->author, event->post_id)];
    PostOutcome outcome = Decide(row, *event, position, oracle_.IsRejected(position));
    row = Apply(std::move(row), outcome);
    return outcome;
  }
  [[nodiscard]] const std::map<RowKey, PostRow>& rows() const { return rows_; }

 private:
  const Oracle& oracle_;
  std::map<RowKey, PostRow> rows_;
};

}  // namespace

const Oracle::PostEvents& Oracle::ReadPostEvents() {
  while (true) {
    const Result<LogBatch> batch = posted_->Poll(kPolledMax, 0);
    FANFOLD_CHECK(batch.has_value(), "the log in memory is not read");
    if (batch->records.empty()) return post_events_;
    for (const LogRecord& record : batch->records) {
      post_events_[LineOf(record.partition)].push_back(
          ReadPostRecord(record.key, record.value, record.partition, kPartitions));
    }
  }
}

std::map<RowKey, PostRow> Oracle::PostsAt(Partition partition, Offset end) {
  Deciding deciding(*this);
  const auto& line = ReadPostEvents()[LineOf(partition)];
  for (Offset at(0); at < end; at = Next(at)) {
    (void)deciding.Next(line.at(static_cast<std::size_t>(at.value)), {partition, at});
  }
  std::map<RowKey, PostRow> posts = deciding.rows();
  std::erase_if(posts, [](const auto& post) { return !post.second.active; });
  return posts;
}

void Oracle::NoteRejected(const OutboxRow& row) {
  std::string_view rest = row.outcomes;
  while (const auto record = projector::TakeOutboxRecord(rest)) {
    const auto outcome = DecodePostOutcome(record->value);
    FANFOLD_CHECK(outcome.has_value(), "an outbox row is read");
    if (!outcome->rejected) {
      rejected_.erase(outcome->position);
    } else if (EverEnded(outcome->author)) {
      rejected_.insert(outcome->position);
    } else {
      Complain(fmt::format("a post of {} was rejected, whose account never ended",
                           outcome->author.value));
    }
  }
}

void Oracle::AfterPosts(Shard shard, const LaneBatch& batch) {
  for (const OutboxRow& row : batch.outbox) NoteRejected(row);
  for (const LaneMove& move : batch.moves) {
    Offset& at = rows_at_[IndexOf(shard)][move.lane];
    at = std::max(at, move.to.event_offset);
    CheckPosts(shard, move.lane, at);
    CheckDeciders(shard, move.lane.projection, move.lane.partition);
  }
}

void Oracle::CheckPosts(Shard shard, const LaneId& lane, Offset end) {
  Deciding deciding(*this);
  const auto& line = ReadPostEvents()[LineOf(lane.partition)];
  for (Offset at(0); at < end; at = Next(at)) {
    (void)deciding.Next(line[static_cast<std::size_t>(at.value)], {lane.partition, at});
  }
  const auto reader = adapters_.NewReader(shard);
  const auto store = OpenPostStore(*stores_[IndexOf(shard)], lane.projection, lane.generation);
  for (const auto& [key, expected] : deciding.rows()) {
    const auto heads = store->Load(std::span(&key, 1));
    const auto view =
        OpenPosts(*reader)->One(lane.generation, key.user, lane.partition, PostOf(key));
    FANFOLD_CHECK(heads.has_value() && view.has_value(), "the tables in memory are not read");
    PostRow found = heads->front();
    if (!view->posts.empty()) found.content = view->posts.front().content;
    if (found == expected && view->posts.empty() == !expected.active) continue;
    return Complain(fmt::format("post {} of {} in {} is of version {}, \"{}\", must be {}, \"{}\"",
                                key.other.value, key.user.value, lane.generation.value,
                                found.version.value, found.content, expected.version.value,
                                expected.content));
  }
}

void Oracle::CheckPostOutcomes() {
  const auto reader = adapters_.log().NewReader(topics::kPostOutcomes);
  FANFOLD_CHECK(reader.has_value(), "the log in memory gave no reader");
  const PostEvents& events = ReadPostEvents();
  std::vector<std::vector<std::string>> expected(events.size());
  std::vector<std::size_t> next(events.size());
  for (std::size_t p = 0; p < events.size(); ++p) {
    const Partition partition(static_cast<std::int32_t>(p));
    Deciding deciding(*this);
    for (std::size_t at = 0; at < events[p].size(); ++at) {
      const Position position{partition, Offset(static_cast<std::int64_t>(at))};
      expected[p].push_back(
          CutPostOutcome(EncodePostOutcome(deciding.Next(events[p][at], position))));
    }
    const Status started = (*reader)->Start(partition, Offset(0));
    FANFOLD_CHECK(started.has_value(), "the log in memory is not read");
  }
  while (true) {
    const Result<LogBatch> batch = (*reader)->Poll(kPolledMax, 0);
    FANFOLD_CHECK(batch.has_value(), "the log in memory is not read");
    if (batch->records.empty()) break;
    for (const LogRecord& record : batch->records) {
      const std::size_t p = LineOf(record.partition);
      const auto outcome = ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome);
      const auto at = outcome ? static_cast<std::size_t>(outcome->position.offset.value) : 0;
      if (!outcome || at > next[p] || at >= expected[p].size() ||
          expected[p][at] != *record.value) {
        return Complain(fmt::format("{}:{} of post-outcomes is {}", p, record.offset.value,
                                    record.value.value_or("null")));
      }
      if (at == next[p]) ++next[p];
    }
  }
  for (std::size_t p = 0; p < events.size(); ++p) {
    if (next[p] == events[p].size()) continue;
    Complain(fmt::format("partition {} has {} events of posts and {} outcomes", p, events[p].size(),
                         next[p]));
  }
}

}  // namespace fanfold::simulation
