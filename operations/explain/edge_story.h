// The story of one edge, apart from where it comes from. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/ports/projection_reader.h"
#include "operations/explain/edge_history.h"

namespace fanfold::operations {

enum class RowVerdict : std::uint8_t {
  kAgrees = 1,     // the row is what the outcomes say
  kDiffers = 2,    // it is not: somebody or something changed it beside the lanes
  kNotJudged = 3,  // not every outcome that the row is made of could be read from the log
};

// One edge in one projection: the row it led to, and what it should be.
struct EdgeTable {
  Projection projection;
  Generation generation{1};
  Shard shard;
  UserId user;  // in whose list it stands
  EdgeView view;
  LaneState state = LaneState::kRunning;  // of the lane; where there is one
  std::string state_reason;
  RowVerdict verdict = RowVerdict::kNotJudged;
  Edge told;  // by the outcomes at view.position; version 0: no row. Where it is judged
};

// Compares the row of `view` with the state that the outcomes tell.
[[nodiscard]] inline RowVerdict Judge(const EdgeView& view, const Edge& told) noexcept {
  return view.edge.value_or(Edge()) == told ? RowVerdict::kAgrees : RowVerdict::kDiffers;
}

// Events of the edge that stand in a partition that is not the subject's, where they are parked.
struct StrayEvents {
  std::vector<EdgeEvent> events;  // by position
  bool all = true;                // else not everything that is parked was looked at
};

struct EdgeStory {
  UserId subject;
  UserId object;
  Partition partition;
  Offset events_begin;  // of the subject's partition
  Offset events_end;
  std::vector<EdgeEvent> events;
  std::int64_t left_out = 0;
  std::int64_t unreadable = 0;
  StrayEvents strays;
  std::vector<EdgeTable> tables;
};

}  // namespace fanfold::operations
