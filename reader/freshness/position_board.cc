#include "reader/freshness/position_board.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace fanfold::reader {
namespace {

// What passes by itself is its shard's trouble alone, as its being away is.
bool Stays(const Error& error) noexcept {
  return error.code == ErrorCode::kRefused || error.code == ErrorCode::kInternal;
}

}  // namespace

PositionBoard::PositionBoard(const Clock& clock, const Shape& shape)
    : clock_(clock),
      shape_(shape),
      began_ms_(clock.SteadyMs()),
      table_(clock.SteadyMs()),
      health_(static_cast<std::size_t>(shape.shards)) {
  for (const Stream stream : Stream::All()) ends_[stream].seen_ms = began_ms_;
}

void PositionBoard::SetDeployment(const Result<Deployment>& deployment) {
  const std::scoped_lock lock(mutex_);
  if (deployment) deployment_ = *deployment;
  const bool counts = !deployment && (!deployment_ || Stays(deployment.error()));
  catalog_failure_ = counts ? deployment.error().message : "";
}

void PositionBoard::SetLanes(Shard shard, std::vector<LaneStatus> lanes) {
  const std::scoped_lock lock(mutex_);
  table_.SetLanes(shard, std::move(lanes));
  HealthOf(shard).answered_ms = clock_.SteadyMs();
  HealthOf(shard).failure.clear();
  HealthOf(shard).is_refused = false;
}

void PositionBoard::SetShardFailed(Shard shard, Error why) {
  const std::scoped_lock lock(mutex_);
  HealthOf(shard).is_refused = why.code == ErrorCode::kRefused;
  HealthOf(shard).failure = std::move(why.message);
}

void PositionBoard::SetAnswers(Shard shard, const Status& answers) {
  const std::scoped_lock lock(mutex_);
  HealthOf(shard).unanswered = !answers && Stays(answers.error()) ? answers.error().message : "";
}

void PositionBoard::ObserveEnd(Stream stream, Partition partition, Offset end) {
  const std::scoped_lock lock(mutex_);
  table_.ObserveEnd(stream, partition, end, clock_.SteadyMs());
  ends_[stream].of.at(static_cast<std::size_t>(partition.value)) = end.value;
}

void PositionBoard::SetLogRefused(std::string why) {
  const std::scoped_lock lock(mutex_);
  log_refused_ = std::move(why);
}

void PositionBoard::EndsRoundOver(Stream stream, bool whole) {
  const std::scoped_lock lock(mutex_);
  ends_looked_for_ = true;
  if (!whole) return;
  table_.EndsSeen(stream, clock_.SteadyMs());
  ends_[stream].seen_ms = clock_.SteadyMs();
}

void PositionBoard::Learn(Stream stream, Partition partition, Offset event, std::int64_t age_ms) {
  const std::scoped_lock lock(mutex_);
  table_.Learn(stream, partition, event, clock_.SteadyMs() - age_ms);
}

Result<Deployment> PositionBoard::Current() const {
  const std::scoped_lock lock(mutex_);
  if (deployment_) return *deployment_;
  return Fail(ErrorCode::kUnavailable, "catalog: " + catalog_failure_);
}

Status PositionBoard::ShardUpLocked(Shard shard) const {
  const ShardHealth& health = health_.at(static_cast<std::size_t>(shard.value));
  if (!health.failure.empty()) {
    return Fail(ErrorCode::kUnavailable, fmt::format("shard {}: {}", shard.value, health.failure));
  }
  const std::int64_t silent_ms = clock_.SteadyMs() - health.answered_ms.value_or(0);
  if (silent_ms <= kShardFreshMs) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("shard {}: no answer for {} ms", shard.value, silent_ms));
}

Status PositionBoard::ShardsReadyLocked() const {
  bool any_up = false;
  Status first_away;
  for (std::int32_t shard = 0; shard < shape_.shards; ++shard) {
    const ShardHealth& health = health_.at(static_cast<std::size_t>(shard));
    if (Status up = ShardUpLocked(Shard(shard)); !up) {
      if (!health.answered_ms || health.is_refused) return up;
      if (first_away) first_away = std::move(up);
      continue;
    }
    any_up = true;
    if (health.unanswered.empty()) continue;
    return Fail(ErrorCode::kUnavailable, fmt::format("shard {}: {}", shard, health.unanswered));
  }
  return any_up ? Status() : first_away;
}

Status PositionBoard::ShardUp(Shard shard) const {
  const std::scoped_lock lock(mutex_);
  return ShardUpLocked(shard);
}

Status PositionBoard::Ready() const {
  const std::scoped_lock lock(mutex_);
  if (Status shards = ShardsReadyLocked(); !shards) return shards;
  const bool stays_as_read = deployment_ && !ShardUpLocked(Shard(0));
  if (!catalog_failure_.empty() && !stays_as_read) {
    return Fail(ErrorCode::kUnavailable, "catalog: " + catalog_failure_);
  }
  if (!log_refused_.empty()) return Fail(ErrorCode::kUnavailable, "log: " + log_refused_);
  const bool waits_for_ends = clock_.SteadyMs() - began_ms_ < kFirstEndsMs;
  if (!ends_looked_for_ && waits_for_ends)
    return Fail(ErrorCode::kUnavailable, "log: not asked yet");
  return {};
}

Status PositionBoard::AreThere(std::span<const LanesRead> lanes, const Deployment& asked) const {
  const std::scoped_lock lock(mutex_);
  for (const LanesRead& read : lanes) {
    const Generation generation = asked.read[read.projection];
    const bool is_there =
        table_.IsThere(read.projection, generation, read.shard, asked.placement.slot_map());
    if (is_there || !ShardUpLocked(read.shard)) continue;
    if (table_.Knows(read.projection, generation)) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("generation {} of {} is on its way", generation.value,
                              ToString(read.projection)));
    }
    return Fail(ErrorCode::kNotFound,
                fmt::format("there is no generation {} of {} that can be read", generation.value,
                            ToString(read.projection)));
  }
  return {};
}

Lag PositionBoard::LagOf(std::span<const LanesRead> lanes, const Deployment& deployment) const {
  const std::scoped_lock lock(mutex_);
  return table_.LagOf(lanes, deployment, clock_.SteadyMs());
}

std::vector<LaneStand> PositionBoard::Stands(const Deployment& deployment) const {
  const std::scoped_lock lock(mutex_);
  return table_.Stands(deployment, clock_.SteadyMs());
}

Lag PositionBoard::LagBehind(Stream stream, Partition partition, Offset applied) const {
  const std::scoped_lock lock(mutex_);
  return table_.LagBehind(stream, partition, applied, clock_.SteadyMs());
}

std::int64_t PositionBoard::LanesAgeMs(Shard shard) const {
  const std::scoped_lock lock(mutex_);
  const auto& health = health_.at(static_cast<std::size_t>(shard.value));
  return clock_.SteadyMs() - health.answered_ms.value_or(0);
}

bool PositionBoard::Reached(std::span<const LaneNeed> needs) const {
  const std::scoped_lock lock(mutex_);
  return std::ranges::all_of(needs, [this](const LaneNeed& need) {
    return table_.EventOffset(need.lane, need.shard) > need.event;
  });
}

std::string PositionBoard::Missing(std::span<const LaneNeed> needs) const {
  const std::scoped_lock lock(mutex_);
  for (const LaneNeed& need : needs) {
    const Offset applied = table_.EventOffset(need.lane, need.shard);
    if (applied > need.event) continue;
    const Lag lag = table_.LagOf(need.lane, need.shard, clock_.SteadyMs());
    const StreamPosition asked{need.lane.projection.stream(), {need.lane.partition, need.event}};
    return fmt::format(
        "{} was asked for, {} has applied the events below {}:{}; lag {} events, {} ms",
        ToString(asked), ToString(need.lane.projection), need.lane.partition.value, applied.value,
        lag.events, lag.ms);
  }
  return "";
}

std::optional<Offset> PositionBoard::Unaged(Stream stream, Partition partition) const {
  const std::scoped_lock lock(mutex_);
  return deployment_ ? table_.Unaged(stream, partition, *deployment_) : std::nullopt;
}

Offset PositionBoard::Slowest(Stream stream, Partition partition,
                              const Deployment& deployment) const {
  const std::scoped_lock lock(mutex_);
  return table_.Slowest(stream, partition, deployment);
}

PositionTable::OfGenerations PositionBoard::EventsHeld() const {
  const std::scoped_lock lock(mutex_);
  return table_.EventsHeld();
}

PositionTable::Loads PositionBoard::LoadsUnderWay() const {
  const std::scoped_lock lock(mutex_);
  return table_.LoadsUnderWay();
}

std::int64_t PositionBoard::EventsInLog(Stream stream) const {
  const std::scoped_lock lock(mutex_);
  return table_.EventsInLog(stream);
}

PositionTable::LaneCounts PositionBoard::LanesByState() const {
  const std::scoped_lock lock(mutex_);
  return table_.LanesByState();
}

std::pair<PositionTable, std::int64_t> PositionBoard::Table() const {
  const std::scoped_lock lock(mutex_);
  return {table_, clock_.SteadyMs()};
}

void PositionBoard::Watch(std::span<const LaneNeed> needs, int change) {
  const std::scoped_lock lock(mutex_);
  for (const LaneNeed& need : needs) HealthOf(need.shard).watchers += change;
  if (change > 0) watched_.notify_all();
}

void PositionBoard::WaitForTurn(Shard shard, std::int64_t idle_ms, std::int64_t watched_ms,
                                const std::stop_token& stop) {
  using std::chrono::milliseconds;
  std::unique_lock lock(mutex_);
  watched_.wait_for(lock, stop, milliseconds(watched_ms), [] { return false; });
  watched_.wait_for(lock, stop, milliseconds(std::max<std::int64_t>(0, idle_ms - watched_ms)),
                    [&] { return HealthOf(shard).watchers > 0; });
}

}  // namespace fanfold::reader
