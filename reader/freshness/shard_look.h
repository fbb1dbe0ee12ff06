// Looks at one shard, again and again: at its lanes for the board; for the cache at repairs, other
// generations, and tables that went back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "reader/cache/table_watcher.h"
#include "reader/freshness/change_log.h"
#include "reader/freshness/position_board.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// One thread. Opens its connection when it first looks.
class ShardLook {
 public:
  // How often the catalog and the repairs are looked at, and a view is tried.
  static constexpr std::int64_t kChangesPollMs = 500;
  static constexpr std::size_t kRepairsMax = 1000;

  // `repairs_shown` shows how many repairs were seen. All outlive this.
  ShardLook(Shard shard, PositionBoard& board, TableWatcher& tables, const ReaderFactory& factory,
            Gauge& repairs_shown, const Clock& clock)
      : shard_(shard),
        board_(board),
        tables_(tables),
        factory_(factory),
        repairs_shown_(repairs_shown),
        clock_(clock) {}

  // Errors: ProjectionReader's; what was seen before stays known.
  [[nodiscard]] Status Look();

 private:
  // Drops what was read from a schema that is not this shard's, now and once more when it is again.
  [[nodiscard]] Status Disown(Status why);
  void ReadAnew();
  // Does a lane stand lower than before? The tables may have been restored then.
  [[nodiscard]] bool WentBack(const std::vector<LaneStatus>& lanes);
  void LookAtCatalog();
  // Tries the repairs, and lists as a reader asks for them. Tells a failure at the second one: a
  // generation that was retired a moment ago may be asked for once.
  void LookAtAnswers();
  // Asks for lists as a reader does, of nobody: what the tables lack shows before a user is
  // refused.
  [[nodiscard]] Status TryView();
  [[nodiscard]] Status LookAtRepairs();

  const Shard shard_;
  PositionBoard& board_;
  TableWatcher& tables_;
  const ReaderFactory& factory_;
  Gauge& repairs_shown_;
  const Clock& clock_;
  std::unique_ptr<ProjectionReader> reader_;
  bool disowned_ = false;
  std::map<LaneId, Offset> known_;
  std::uint64_t repair_mark_ = 0;
  std::size_t repairs_ = 0;
  std::int64_t changes_due_ms_ = 0;
  bool unanswered_ = false;
  ChangeLog answers_{"tables of shard", shard_.value};
};

}  // namespace fanfold::reader
