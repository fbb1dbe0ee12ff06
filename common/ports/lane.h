// Lanes as the tables know them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/ports/projection.h"
#include "common/stream/ids.h"

namespace fanfold {

// Does a lane decide what becomes of events, or apply what was decided?
inline constexpr bool kDeciding = true;
inline constexpr bool kApplying = false;
// As it stands in tables and answers.
[[nodiscard]] constexpr std::string_view RoleText(bool deciding) noexcept {
  return deciding ? "decides" : "applies";
}

enum class LaneState : std::uint8_t { kRunning = 1, kPaused = 2, kHalted = 3 };

[[nodiscard]] constexpr std::string_view ToString(LaneState state) noexcept {
  switch (state) {
    case LaneState::kRunning:
      return "running";
    case LaneState::kPaused:
      return "paused";
    case LaneState::kHalted:
      return "halted";
  }
  return "halted";
}

// The unit of ordering, fencing and progress; its shard is the store it is found in.
struct LaneId {
  Projection projection;
  Generation generation{1};
  Partition partition;
  Stream stream = projection.stream();  // whose partition it is
  friend auto operator<=>(const LaneId&, const LaneId&) noexcept = default;
};
// For people: following/g1/3.
[[nodiscard]] inline std::string Describe(const LaneId& lane) {
  return std::string(lane.projection.name()) + "/g" + std::to_string(lane.generation.value) + "/" +
         std::to_string(lane.partition.value);
}

// Who owns a lane: the epoch is bumped whenever it is taken, the nonce drawn at random, since a
// restored epoch can climb back to a paused owner's.
struct Fence {
  std::uint64_t epoch = 0;
  std::uint64_t nonce = 0;
  friend bool operator==(const Fence&, const Fence&) = default;
};

// How far a rebuild has loaded a generation: `done` of about `total` records to read and rows to
// write.
struct LoadProgress {
  std::int64_t done = 0;
  std::int64_t total = 0;
  friend bool operator==(const LoadProgress&, const LoadProgress&) = default;
};

// A record that stood in a topic when it was read or appended: by it one log is told from another.
struct RecordMark {
  Offset offset;
  std::uint64_t digest = 0;  // of key and value (log_proof.h); 0: no record is known
  friend bool operator==(const RecordMark&, const RecordMark&) = default;
};

// Where applying goes on: the next event, and a record of the applied topic at or before its
// outcome. An event's offset does not tell its outcome's: copies and foreign records stand between.
struct AppliedPlace {
  Offset next_record;
  Offset next_event;
  friend bool operator==(const AppliedPlace&, const AppliedPlace&) = default;
};

// How far a lane has come.
struct LaneProgress {
  Offset next_offset;     // of the topic it reads: events when it decides, outcomes when it applies
  Offset event_offset;    // every event below this one is in the rows
  Offset outcome_offset;  // outcomes from published_offset on stand at or after this
  Offset published_offset;  // every event below this one is known to have its outcome in the topic
  // The last that were taken or appended. A lane that is moved back keeps them: they tell of the
  // log, not of the lane.
  RecordMark event_mark;    // of the event topic, of a lane that decides or has decided
  RecordMark applied_mark;  // of the topic that is applied
  friend bool operator==(const LaneProgress&, const LaneProgress&) = default;
};

// Every event below is in the rows, and its outcome below that record.
[[nodiscard]] constexpr AppliedPlace PlaceOf(const LaneProgress& progress, bool deciding) noexcept {
  return deciding ? AppliedPlace{progress.outcome_offset, progress.published_offset}
                  : AppliedPlace{progress.next_offset, progress.event_offset};
}

}  // namespace fanfold
