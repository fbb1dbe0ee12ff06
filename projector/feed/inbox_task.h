// The thread that keeps inboxes while hybrid mode is on, and what it tells.
#pragma once

#include <string>
#include <thread>

#include "common/base/cause_filter.h"
#include "projector/feed/inbox_deliverer.h"
#include "projector/feed/inbox_maker.h"

namespace fanfold::projector {

class InboxTask final : public Task {
 public:
  // A batch is the larger the longer it waits, and an inbox is written once in each: readers know
  // what is not delivered yet.
  static constexpr std::int64_t kGatherMs = 200;
  static constexpr std::int64_t kOffMs = 1'000;    // between looks at the catalog
  static constexpr std::int64_t kRetryMs = 1'000;  // after a failure
  // They are kept again once nothing has failed for so long: a batch that fails comes again only
  // after its partition was begun anew.
  static constexpr std::int64_t kCalmMs = 5'000;

  InboxTask(const TaskPorts& ports, const InboxLimits& limits);
  // Blocks for as long as a batch takes.
  ~InboxTask() override = default;

 private:
  void Run(const std::stop_token& stop);
  // True: something was done.
  [[nodiscard]] bool Step(std::vector<Error>& failures);
  void Tell(const std::vector<Error>& failures);

  const TaskPorts ports_;
  InboxShards shards_;
  InboxDeliverer deliverer_;
  InboxMaker maker_;
  std::string stand_;  // that was kept last; empty: none was
  CauseFilter causes_;
  Gauge& being_made_;
  Counter& delivered_;
  Counter& unreadable_;
  Counter& made_;
  Gauge& still_;
  std::int64_t failing_since_ms_ = 0;  // steady
  std::int64_t failed_ms_ = 0;         // steady: last
  std::jthread thread_;                // last: it uses the others
};

}  // namespace fanfold::projector
