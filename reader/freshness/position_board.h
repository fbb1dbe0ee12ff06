// The pollers' knowledge for the requests: the catalog, lanes, ends, which shards answer.
// Thread-safe; nothing blocks but WaitForTurn.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "reader/freshness/lanes_read.h"
#include "reader/freshness/position_table.h"

namespace fanfold::reader {

class PositionBoard {
 public:
  // A shard that has not answered for this long counts as away.
  static constexpr std::int64_t kShardFreshMs = 5000;

  // How long readiness waits for the first look at the log, which may hang while brokers are away.
  static constexpr std::int64_t kFirstEndsMs = 5000;

  // `shape`: as configured. The clock outlives the board.
  PositionBoard(const Clock& clock, const Shape& shape);

  // A failure keeps the last catalog; a refused one counts all the same, as SetAnswers has it.
  void SetDeployment(const Result<Deployment>& deployment);
  void SetLanes(Shard shard, std::vector<LaneStatus> lanes);
  void SetShardFailed(Shard shard, Error why);
  // Whether the shard, which is up, answers what readers ask: what it lacks counts, kRefused and
  // kInternal, not what passes.
  void SetAnswers(Shard shard, const Status& answers);
  void ObserveEnd(Stream stream, Partition partition, Offset end);
  // Why the log cannot be this deployment's; empty: nothing speaks against it.
  void SetLogRefused(std::string why);
  // A round over all partitions of the stream ended, with or without the log's answer.
  void EndsRoundOver(Stream stream, bool whole);
  void Learn(Stream stream, Partition partition, Offset event, std::int64_t age_ms);

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  // The deployment as the catalog was last read. Errors: kUnavailable, it has not been read yet.
  [[nodiscard]] Result<Deployment> Current() const;
  // Did the shard answer its last look, and lately? Errors: kUnavailable.
  [[nodiscard]] Status ShardUp(Shard shard) const;
  // Ok when every shard has answered once, those that are up answer what readers ask, one at least
  // does, none is refused, the catalog has been read and was not refused since, the log's ends have
  // been looked for (or kFirstEndsMs have gone by), and nothing says that the log is another
  // deployment's. A shard that is away later takes its own users' reads away, not the reader (ADR
  // 0035). Errors: kUnavailable.
  [[nodiscard]] Status Ready() const;

  // Have these shards the generations asked for, and none of them is loading? A shard that is away
  // counts as having them. Errors, naming the first that is not there: kUnavailable, it is on its
  // way; kNotFound.
  [[nodiscard]] Status AreThere(std::span<const LanesRead> lanes, const Deployment& asked) const;

  [[nodiscard]] Lag LagOf(std::span<const LanesRead> lanes, const Deployment& deployment) const;
  // Where each partition of the stream ended when last seen, for those who must not wait.
  [[nodiscard]] std::span<const std::atomic<std::int64_t>> Ends(Stream stream) const noexcept {
    return ends_[stream].of;
  }
  // May the stream have grown unseen for so long that a lag has to be told?
  [[nodiscard]] bool EndsAreStale(Stream stream) const noexcept {
    return clock_.SteadyMs() - ends_[stream].seen_ms.load(std::memory_order_relaxed) >
           PositionTable::kEndsStaleMs;
  }
  // The lag of rows that hold the partition's events below `applied`.
  [[nodiscard]] Lag LagBehind(Stream stream, Partition partition, Offset applied) const;
  [[nodiscard]] std::int64_t LanesAgeMs(Shard shard) const;
  [[nodiscard]] bool Reached(std::span<const LaneNeed> needs) const;
  // In words: the first need that is not met, where its lane stands, its lag. Empty when all are
  // met.
  [[nodiscard]] std::string Missing(std::span<const LaneNeed> needs) const;
  [[nodiscard]] std::optional<Offset> Unaged(Stream stream, Partition partition) const;
  [[nodiscard]] Offset Slowest(Stream stream, Partition partition,
                               const Deployment& deployment) const;
  [[nodiscard]] std::vector<LaneStand> Stands(const Deployment& deployment) const;
  [[nodiscard]] PositionTable::OfGenerations EventsHeld() const;
  [[nodiscard]] PositionTable::Loads LoadsUnderWay() const;
  [[nodiscard]] std::int64_t EventsInLog(Stream stream) const;
  [[nodiscard]] PositionTable::LaneCounts LanesByState() const;
  // A copy, as large as all lanes, and the time it is of (steady ms).
  [[nodiscard]] std::pair<PositionTable, std::int64_t> Table() const;

  // `change`: +1 or -1 watcher for the shard of each need. A shard that is watched is looked at
  // every few milliseconds.
  void Watch(std::span<const LaneNeed> needs, int change);
  // Blocks until it is time for the shard's next look: idle_ms, or watched_ms while it is watched.
  void WaitForTurn(Shard shard, std::int64_t idle_ms, std::int64_t watched_ms,
                   const std::stop_token& stop);

 private:
  struct ShardHealth {
    std::optional<std::int64_t> answered_ms;  // steady
    std::string failure = "not asked yet";    // empty while the last answer was one
    bool is_refused = false;                  // by what failed last: it is not the deployment's
    std::string unanswered;                   // why it does not answer what readers ask
    int watchers = 0;
  };
  [[nodiscard]] Status ShardUpLocked(Shard shard) const;
  [[nodiscard]] Status ShardsReadyLocked() const;
  [[nodiscard]] ShardHealth& HealthOf(Shard shard) {
    return health_.at(static_cast<std::size_t>(shard.value));
  }

  const Clock& clock_;
  const Shape shape_;
  const std::int64_t began_ms_;  // steady
  mutable std::mutex mutex_;
  std::condition_variable_any watched_;
  PositionTable table_;
  std::vector<ShardHealth> health_;
  std::optional<Deployment> deployment_;
  std::string catalog_failure_ = "not read yet";
  std::string log_refused_;
  bool ends_looked_for_ = false;
  // The ends and when all were seen, once more for those who must not wait.
  struct EndsToLookAt {
    std::array<std::atomic<std::int64_t>, kPartitionsMax> of{};
    std::atomic<std::int64_t> seen_ms = 0;
  };
  PerEntry<Stream, EndsToLookAt> ends_;
};

}  // namespace fanfold::reader
