// The threads that keep a PositionBoard current, and tell the cache what changes beside the log:
// one a shard for lanes, repairs and catalog, and one for the log's ends. So a database or a log
// that does not answer delays only its own.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/ports/event_log.h"
#include "common/stream/position.h"
#include "reader/cache/table_watcher.h"
#include "reader/freshness/generation_gauge.h"
#include "reader/freshness/lane_gauges.h"
#include "reader/freshness/position_board.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

class PositionPoller {
 public:
  static constexpr std::int64_t kPollMs = 200;
  static constexpr std::int64_t kWatchedPollMs = 2;
  // How often the topics are asked for their partitions.
  static constexpr std::int64_t kTopicsPollMs = 5'000;

  // Starts. All outlive this object.
  PositionPoller(PositionBoard& board, TableWatcher& tables, ReaderFactory factory, EventLog& log,
                 Metrics& metrics, const Clock& clock);
  // Stops; blocks for what is under way: a call to a shard, or up to two questions to the log, each
  // EventLog::kBoundsTimeoutMs.
  ~PositionPoller();
  PositionPoller(const PositionPoller&) = delete;
  PositionPoller& operator=(const PositionPoller&) = delete;

 private:
  void PollShard(Shard shard, const std::stop_token& stop);
  void PollEnds(const std::stop_token& stop);
  // Compares the topics' partitions with the deployment's.
  void LookAtTopics(std::int32_t partitions);
  // One look at every end of every stream.
  void LookAtAllEnds(std::int32_t partitions, const std::stop_token& stop);
  // One look at the ends of this stream; false when the log did not answer.
  [[nodiscard]] bool LookAtEnds(Stream stream, std::int32_t partitions,
                                const std::stop_token& stop);
  // Asks the log for the time of an event that was there before this process.
  void LearnAge(StreamPosition event, const LogBounds& held);
  void ShowGenerations();
  void ShowLanes();

  PositionBoard& board_;
  TableWatcher& tables_;
  const ReaderFactory factory_;
  EventLog& log_;
  Metrics& metrics_;
  const Clock& clock_;
  // For PollEnds.
  PerEntry<Stream, std::unique_ptr<LogReader>> records_;
  std::int64_t topics_due_ms_ = 0;  // steady
  LaneGauges lane_gauges_;
  GenerationGauge events_held_{"fanfold_reader_generation_events",
                               "Events in the tables of each generation, of all partitions"};
  GenerationGauge load_done_{
      "fanfold_reader_rebuild_done_items",
      "Records read and rows written by the rebuild that loads a generation"};
  GenerationGauge load_total_{
      "fanfold_reader_rebuild_items",
      "Records and rows that such a rebuild will have to read and write, about"};
  std::vector<std::jthread> threads_;
};

}  // namespace fanfold::reader
