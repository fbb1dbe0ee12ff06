// Reads what is applied of a stream for what is held of it, a poll at a time. The reader's position
// moves with it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/ports/log_proof.h"
#include "reader/freshness/position_board.h"
#include "reader/freshness/topic_feed.h"

namespace fanfold::reader {

// One thread; CaughtUp from any. Blocks in the calls to the log alone.
class TopicReading {
 public:
  static constexpr std::size_t kPollRecordsMax = 2000;
  // Records that move the reader in one step.
  static constexpr std::size_t kStepMax = 256;
  static constexpr std::int64_t kPollsBetweenTrims = 64;

  // `moved` is called after each step of the reader's position. All outlive this object.
  TopicReading(PositionBoard& board, TopicFeed& feed, EventLog& log, std::function<void()> moved);

  // Places the reader where the slowest of the tables stand. Errors: the tables' and the log's;
  // kOutOfRange, the log does not reach there; kRefused, it is not the one that the tables were
  // folded from.
  [[nodiscard]] Status Begin();
  // Takes what one poll brings. Errors: kOutOfRange, the place is lost (a gap,
  // another log, another slot map): begin again; any other: the log is away, the reader stands.
  [[nodiscard]] Status Step(std::int64_t timeout_ms);
  // Gives the place up: the reader's position is not known any more.
  void End();

  // Has the reader ever come to where the topic ended when it began?
  [[nodiscard]] bool CaughtUp() const noexcept { return caught_up_; }
  // Did the log not answer the last Begin?
  [[nodiscard]] bool LogAway() const noexcept { return log_away_; }

 private:
  [[nodiscard]] Status Poll(std::int64_t timeout_ms);
  // Errors: kOutOfRange, it is another log; kUnavailable, nobody can say now.
  [[nodiscard]] Status ProveWhenInDoubt();
  [[nodiscard]] Status StartAll(const Deployment& deployment);
  [[nodiscard]] Topic topic() const { return feed_.begins_with().stream().applied(); }
  [[nodiscard]] Status Take(std::span<const LogRecord> records);
  void LookWhetherCaughtUp();
  // Errors: kOutOfRange, what is read has moved to another slot map.
  [[nodiscard]] Status Trim();

  PositionBoard& board_;
  TopicFeed& feed_;
  EventLog& log_;
  LogProof proof_;
  const std::function<void()> moved_;

  std::unique_ptr<LogReader> reader_;
  std::optional<LogBatch> polled_;  // and not taken yet
  std::int64_t polled_ms_ = 0;      // by the steady clock
  bool doubts_ = false;             // that it is the same log
  SlotMapId slot_map_;              // the one it began with
  std::int64_t polls_ = 0;
  std::vector<Offset> next_record_;  // by partition
  std::vector<Offset> end_at_start_;
  std::atomic<bool> caught_up_ = false;
  std::atomic<bool> log_away_ = false;
};

}  // namespace fanfold::reader
