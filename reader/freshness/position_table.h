// Where every lane stands and where the log ends, as last observed. Pure: no threads, time is a
// parameter (steady milliseconds).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/ports/lane.h"
#include "common/ports/projection_reader.h"
#include "common/stream/ids.h"
#include "common/stream/stream.h"
#include "reader/freshness/lanes_read.h"

namespace fanfold::reader {

// When the events of one partition were first seen in the log. The age of an event seen since the
// first look is right to within one poll, or too high.
class EndHistory {
 public:
  static constexpr std::size_t kSamplesMax = 1024;

  // An end below the last one is another log: the history starts anew.
  void Observe(Offset end, std::int64_t now_ms);
  // The log says that `event` was appended at this time; for events older than the history.
  void Learn(Offset event, std::int64_t appended_ms);

  [[nodiscard]] Offset end() const;
  // How long `event` has been in the log: 0 when it is not, at least 1 when it is.
  [[nodiscard]] std::int64_t AgeMs(Offset event, std::int64_t now_ms) const;
  // Was it in the log before the first look, its age not yet learned?
  [[nodiscard]] bool IsOlderThanKnown(Offset event) const;

 private:
  struct Sample {
    std::int64_t seen_ms = 0;
    Offset end;
  };
  struct Learned {
    Offset event;
    std::int64_t appended_ms = 0;
  };
  void Thin();

  std::vector<Sample> samples_;  // both members ascending; ends strictly
  Offset first_end_;
  std::optional<Learned> learned_;
};

struct Lag {
  std::int64_t events = 0;
  std::int64_t ms = 0;  // the age of the oldest event not applied; 0 when there is none
};
[[nodiscard]] constexpr const Lag& Worse(const Lag& a, const Lag& b) noexcept {
  return a.ms < b.ms ? b : a;
}

// Where a lane that is read stands: on the shard that is furthest behind.
struct LaneStand {
  Projection projection;
  Partition partition;
  Offset applied;  // every event below it is in the rows
  Offset end;      // of the partition's events
  std::int64_t lag_ms = 0;
};

class PositionTable {
 public:
  // Ends not seen for this long may hide events: the lag then grows with the time.
  static constexpr std::int64_t kEndsStaleMs = 2000;

  explicit PositionTable(std::int64_t now_ms);

  void SetLanes(Shard shard, std::vector<LaneStatus> lanes);
  [[nodiscard]] const std::vector<LaneStatus>& Lanes(Shard shard) const;

  void ObserveEnd(Stream stream, Partition partition, Offset end, std::int64_t now_ms);
  // The end of every partition of the stream has been observed by now.
  void EndsSeen(Stream stream, std::int64_t now_ms) { streams_[stream].seen_ms = now_ms; }
  // The end of the partition's events.
  [[nodiscard]] Offset End(Stream stream, Partition partition) const;

  // Has the shard tables of this generation, by that slot map, that are not being loaded?
  [[nodiscard]] bool IsThere(Projection projection, Generation generation, Shard shard,
                             SlotMapId map) const;

  // Has any shard a lane of it: is it there, or on its way?
  [[nodiscard]] bool Knows(Projection projection, Generation generation) const;

  // How many events the tables of each generation hold: of each partition as many as on the shard
  // that is furthest behind.
  using OfGenerations = std::map<std::pair<Projection, Generation>, std::int64_t>;
  [[nodiscard]] OfGenerations EventsHeld() const;
  // Generations that are loading: how much is to be done, and how much is done.
  struct Loads {
    OfGenerations done;
    OfGenerations total;
  };
  [[nodiscard]] Loads LoadsUnderWay() const;
  // Events in the log, of all partitions.
  [[nodiscard]] std::int64_t EventsInLog(Stream stream) const;

  // How many lanes there are, on all shards, of tables that are not being loaded.
  using LaneCounts = std::map<std::pair<Projection, LaneState>, std::int64_t>;
  [[nodiscard]] LaneCounts LanesByState() const;

  // Every event below it is in the rows; 0 for a lane without progress.
  [[nodiscard]] Offset EventOffset(const LaneId& lane, Shard shard) const;
  [[nodiscard]] Lag LagOf(const LaneId& lane, Shard shard, std::int64_t now_ms) const;
  // The lag of rows that hold the partition's events below `applied`.
  [[nodiscard]] Lag LagBehind(Stream stream, Partition partition, Offset applied,
                              std::int64_t now_ms) const;
  // The worst of the lanes' ages; their events together.
  [[nodiscard]] Lag LagOf(std::span<const LanesRead> lanes, const Deployment& deployment,
                          std::int64_t now_ms) const;

  // The stand of every lane that is read, by projection and partition.
  [[nodiscard]] std::vector<LaneStand> Stands(const Deployment& deployment,
                                              std::int64_t now_ms) const;

  // The events below it are in the rows of every lane that is read of this partition.
  [[nodiscard]] Offset Slowest(Stream stream, Partition partition,
                               const Deployment& deployment) const;

  // The oldest event that some lane that is read lacks, when it was in the log before the first
  // look and its age is not known yet.
  [[nodiscard]] std::optional<Offset> Unaged(Stream stream, Partition partition,
                                             const Deployment& deployment) const;
  void Learn(Stream stream, Partition partition, Offset event, std::int64_t appended_ms);

 private:
  std::map<Shard, std::vector<LaneStatus>> lanes_;  // each sorted by lane
  struct StreamEnds {
    std::map<Partition, EndHistory> of;
    std::int64_t seen_ms = 0;  // all of them
  };
  PerEntry<Stream, StreamEnds> streams_;
};

}  // namespace fanfold::reader
