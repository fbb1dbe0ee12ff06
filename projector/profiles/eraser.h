// Ends the relations of deleted accounts: a page of a list at a time, of each account in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "common/ports/profile_erasure.h"
#include "common/ports/projection_reader.h"
#include "common/relation/event.h"
#include "common/stream/event_ids.h"
#include "projector/profiles/tables_look.h"
#include "projector/runtime/task.h"

namespace fanfold::projector {

// What a round found and did.
struct EraseRound {
  std::int64_t open = 0;       // accounts of this process's partitions that are being erased
  std::int64_t waiting = 0;    // of them, those whose tables have not come as far
  std::int64_t oldest_ms = 0;  // when the oldest of them was asked for; 0: there is none
  std::int64_t appended = 0;   // events
  bool moved = false;
  std::vector<Error> failures;  // it will be tried again in the next round
};

// Whoever owns the user's partition of user-events erases; where two do for a moment, what the
// second appends changes nothing. An account waits until the tables hold what the log held when it
// was first looked at, and the deletion's ends: of a log that was moved, and of
// tables that are folded again, what was erased is then seen as erased.
//
// One thread at a time.
class Eraser {
 public:
  static constexpr std::size_t kPageRows = 500;       // of a list; so many events are in flight
  static constexpr std::size_t kErasuresMax = 1'000;  // read at once
  static constexpr std::int64_t kAppendWaitMs = 10'000;

  // Told how many events were appended; blocks for as long as their rate asks for. False: stop.
  using Pace = std::function<bool(std::int64_t events)>;

  explicit Eraser(const TaskPorts& ports);

  // A step of each account. Blocks as ports and pace do.
  [[nodiscard]] EraseRound Round(const Pace& pace);

 private:
  struct Turn {
    const Pace& pace;
    EraseRound round = {};
    Shard shard = {};  // whose accounts it is
    bool stops = false;
  };

  [[nodiscard]] Status RoundOn(Shard shard, Turn& turn);
  [[nodiscard]] Status Step(const Erasure& erasure, Turn& turn);
  [[nodiscard]] Status Walk(const Erasure& erasure, Direction list, Turn& turn);
  // Nothing: the tables have not come as far.
  using Page = std::optional<std::vector<RowImage>>;
  [[nodiscard]] Result<Page> NextPage(const Erasure& erasure, Direction list);
  // Where a page that was appended leads. Errors: the log's.
  [[nodiscard]] Result<ErasureProgress> Behind(std::span<const RowImage> page, Direction list);
  [[nodiscard]] Status Settle(const Erasure& erasure, Turn& turn);
  // What the tables have to hold before the account is walked.
  [[nodiscard]] Result<EndsAsked> AwaitedBy(const Erasure& erasure, Direction list);
  // Returns when all are in the log. Errors: some may not be.
  [[nodiscard]] Status Append(const std::vector<Event>& events);
  [[nodiscard]] Status Move(const Erasure& erasure, const ErasureProgress& to, Turn& turn);

  const TaskPorts ports_;
  TablesLook look_;
  EventIds event_ids_;
  std::unique_ptr<LogAppender> appender_;  // made when it is needed
  // Of each account that is walked; those of this round, and of the one before.
  std::map<ErasureKey, Ends> awaited_;
  std::map<ErasureKey, Ends> awaited_before_;
};

// The events that end these rows of the account's list, as far as the deletion reaches. Pure but
// for the ids.
[[nodiscard]] std::vector<Event> EndsOfRows(const Erasure& erasure, Direction list,
                                            std::span<const RowImage> rows, std::int32_t partitions,
                                            std::int64_t at_ms, EventIds& ids);

}  // namespace fanfold::projector
