// The two topics' records of one edge. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "common/ports/event_log.h"
#include "common/relation/edge.h"
#include "common/relation/event.h"
#include "common/stream/position.h"

namespace fanfold::operations {

struct EdgeEvent {
  Position position;
  std::int64_t appended_ms = 0;
  Event event;
  std::optional<Outcome> outcome;  // nothing: not decided yet
};

// Takes the subject's partition of the event topic in order, then that of the outcome topic.
// Keeps the edge's newest events alone, however many there are.
class EdgeHistory {
 public:
  static constexpr std::size_t kEventsKeptMax = 1000;

  // `stands`: the event positions to work the edge's state out for.
  EdgeHistory(UserId subject, UserId object, std::span<const Offset> stands);

  void AddEvent(const LogRecord& record);
  void AddOutcome(const LogRecord& record);

  // By position.
  [[nodiscard]] const std::deque<EdgeEvent>& events() const noexcept { return events_; }
  // Older events of the edge, which are not kept.
  [[nodiscard]] std::int64_t left_out() const noexcept { return left_out_; }
  // Records with the subject's key that cannot be read.
  [[nodiscard]] std::int64_t unreadable() const noexcept { return unreadable_; }
  // Every event below it has shown its outcome.
  [[nodiscard]] Offset outcomes_end() const noexcept { return outcomes_end_; }
  // The edge as the outcomes of every event below stands[i] leave it. Requires: outcomes_end() is
  // not below stands[i], and the topic's records were all taken.
  [[nodiscard]] const Edge& StateAt(std::size_t i) const { return states_.at(i); }

 private:
  [[nodiscard]] bool IsOurs(UserId subject, UserId object) const noexcept {
    return subject == subject_ && object == object_;
  }
  void Tell(const Outcome& outcome);

  const UserId subject_;
  const UserId object_;
  const std::vector<Offset> stands_;
  std::vector<Edge> states_;  // one for each of stands_
  std::deque<EdgeEvent> events_;
  std::int64_t left_out_ = 0;
  std::int64_t unreadable_ = 0;
  Offset outcomes_end_;
};

}  // namespace fanfold::operations
