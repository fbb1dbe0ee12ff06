#include "reader/freshness/topic_reading.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "common/base/logging.h"
#include "common/ports/post_reader.h"
#include "reader/freshness/followed_log.h"

namespace fanfold::reader {
namespace {

// Where the slowest lane of a partition stands.
AppliedPlace SlowestOf(Projection projection, const PositionTable& table,
                       const Deployment& deployment, Partition partition) {
  const LaneId lane{projection, deployment.read[projection], partition};
  std::optional<AppliedPlace> slowest;
  for (std::int32_t s = 0; s < deployment.placement.shards(); ++s) {
    if (!projection.HasLane(partition, Shard(s), deployment.placement)) continue;
    AppliedPlace start;
    for (const LaneStatus& status : table.Lanes(Shard(s))) {
      if (status.lane != lane) continue;
      start = PlaceOf(status.progress, status.deciding);
    }
    if (!slowest || start.next_event < slowest->next_event) slowest = start;
  }
  return slowest.value_or(AppliedPlace());
}

}  // namespace

TopicReading::TopicReading(PositionBoard& board, TopicFeed& feed, EventLog& log,
                           std::function<void()> moved)
    : board_(board), feed_(feed), log_(log), proof_(log), moved_(std::move(moved)) {}

Status TopicReading::Begin() {
  const Result<Deployment> deployment = board_.Current();
  if (!deployment) return std::unexpected(deployment.error());
  for (std::int32_t s = 0; s < board_.shape().shards; ++s) {
    if (Status up = board_.ShardUp(Shard(s)); !up) return up;
  }
  Result<std::unique_ptr<LogReader>> reader = log_.NewReader(topic());
  if (!reader) return Forward(reader);
  reader_ = *std::move(reader);
  polled_.reset();
  polled_ms_ = board_.clock().SteadyMs();
  Status started = ProveFollowed(proof_, board_, feed_.begins_with().stream());
  // What nobody can say now is no reason to answer from the tables alone: it is asked again.
  doubts_ = !started;
  if (started || started.error().code != ErrorCode::kRefused) started = StartAll(*deployment);
  log_away_ = !started && started.error().code == ErrorCode::kUnavailable;
  if (!started) return started;
  LogInfo(fmt::format("follows the {}", feed_.what()),
          {{"partitions", deployment->placement.partitions()}});
  return {};
}

Status TopicReading::Poll(std::int64_t timeout_ms) {
  Result<LogBatch> batch = reader_->Poll(kPollRecordsMax, timeout_ms);
  const std::int64_t now_ms = board_.clock().SteadyMs();
  const bool was_blind = now_ms - std::exchange(polled_ms_, now_ms) > timeout_ms + kUnseenMs;
  doubts_ = doubts_ || was_blind || !batch;
  if (!batch) return std::unexpected(batch.error());
  polled_ = *std::move(batch);
  return {};
}

Status TopicReading::ProveWhenInDoubt() {
  if (!doubts_) return {};
  Status same = ProveFollowed(proof_, board_, feed_.begins_with().stream());
  doubts_ = !same;
  const bool is_other = !same && same.error().code == ErrorCode::kRefused;
  return is_other ? Fail(ErrorCode::kOutOfRange, same.error().message) : same;
}

Status TopicReading::Step(std::int64_t timeout_ms) {
  if (!polled_) {
    if (Status polled = Poll(timeout_ms); !polled) return polled;
  }
  if (!polled_->records.empty()) {
    if (Status same = ProveWhenInDoubt(); !same) return same;
  }
  const LogBatch batch = *std::exchange(polled_, std::nullopt);
  if (Status taken = Take(batch.records); !taken) return taken;
  const bool trims = batch.records.empty() || ++polls_ % kPollsBetweenTrims == 0;
  return trims ? Trim() : Status();
}

void TopicReading::End() {
  polled_.reset();
  reader_.reset();
  feed_.Stop();
  moved_();
}

Status TopicReading::StartAll(const Deployment& deployment) {
  const PositionTable table = board_.Table().first;
  std::vector<Offset> next;
  next_record_.clear();
  end_at_start_.clear();
  const std::int32_t partitions = deployment.placement.partitions();
  const Result<std::vector<LogBounds>> bounds = log_.AllBounds(topic(), partitions);
  if (!bounds) return std::unexpected(bounds.error());
  for (std::int32_t p = 0; p < partitions; ++p) {
    const LogBounds& held = (*bounds)[static_cast<std::size_t>(p)];
    const AppliedPlace start = SlowestOf(feed_.begins_with(), table, deployment, Partition(p));
    if (!held.MayStartAt(start.next_record)) {
      return Fail(ErrorCode::kOutOfRange,
                  fmt::format("{} of partition {}: from {} on, of {} to {}", feed_.what(), p,
                              start.next_record.value, held.begin.value, held.end.value));
    }
    if (Status begun = reader_->Start(Partition(p), start.next_record); !begun) return begun;
    next.push_back(start.next_event);
    next_record_.push_back(start.next_record);
    end_at_start_.push_back(held.end);
  }
  slot_map_ = deployment.placement.slot_map();
  feed_.Start(deployment.placement, next);
  LookWhetherCaughtUp();
  return {};
}

Status TopicReading::Take(std::span<const LogRecord> records) {
  while (!records.empty()) {
    const auto step = records.first(std::min(records.size(), kStepMax));
    if (Status taken = feed_.Take(step); !taken) return taken;
    for (const LogRecord& record : step) {
      next_record_[static_cast<std::size_t>(record.partition.value)] = Next(record.offset);
    }
    moved_();
    records = records.subspan(step.size());
  }
  LookWhetherCaughtUp();
  return {};
}

void TopicReading::LookWhetherCaughtUp() {
  if (caught_up_) return;
  caught_up_ = std::ranges::equal(next_record_, end_at_start_, std::ranges::greater_equal());
}

// By the generations that are read now: those it began with may be gone.
Status TopicReading::Trim() {
  const Result<Deployment> deployment = board_.Current();
  if (!deployment) return {};
  if (deployment->placement.slot_map() != slot_map_) {
    return Fail(ErrorCode::kOutOfRange, "users live by another slot map now");
  }
  // Inboxes are brought forward from where they were delivered to, which is behind the tables.
  if (deployment->inboxes && feed_.begins_with() == projections::kPosts) return {};
  for (std::int32_t p = 0; p < deployment->placement.partitions(); ++p) {
    const Partition partition(p);
    feed_.Trim(partition, board_.Slowest(feed_.begins_with().stream(), partition, *deployment));
  }
  return {};
}

}  // namespace fanfold::reader
