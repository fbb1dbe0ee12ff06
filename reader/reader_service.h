// The reader whole, but for its adapters and its port.
#pragma once

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/http/router.h"
#include "common/ports/event_log.h"
#include "common/stream/slot.h"
#include "reader/cache/live_lists.h"
#include "reader/changes/change_hub.h"
#include "reader/freshness/outcome_feed.h"
#include "reader/freshness/position_board.h"
#include "reader/freshness/position_gate.h"
#include "reader/freshness/position_poller.h"
#include "reader/freshness/position_waits.h"
#include "reader/freshness/topic_follower.h"
#include "reader/query_pool.h"
#include "reader/read_executor.h"
#include "reader/tenant.h"

namespace fanfold::reader {

struct ReaderLimits {
  int threads = QueryPool::kThreadsDefault;  // questions to the tables at once
  CacheLimits cache;                         // 0 bytes of lists: everything from the tables
  std::size_t tenant_bytes = std::size_t{128} << 20;  // of each; 0: everything from the tables
  std::size_t posts_bytes = std::size_t{256} << 20;   // authors' posts, without what they say
};

// Threads of its own follow the positions and ask the tables. Thread-safe.
class ReaderService {
 public:
  // Starts. All outlive this. So does the HTTP server that uses the routes, which is stopped
  // before: questions under way still answer to it. A shard whose schema is not its own of the
  // deployment `configured` is never read.
  ReaderService(EventLog& log, const ReaderFactory& factory, const Shape& configured,
                const ReaderLimits& limits, Metrics& metrics, const Clock& clock);
  ReaderService(const ReaderService&) = delete;
  ReaderService& operator=(const ReaderService&) = delete;

  void AddRoutes(http::Router& router);
  // Streams that last for ever end: the process stops.
  void Retire() { changes_.Retire(); }
  // Does not block.
  [[nodiscard]] Status Ready() const;

 private:
  // Workers and waits call back into the executor until they are gone, so it stands first; a
  // question under way may still come to wait when the workers go.
  Metrics& metrics_;
  PositionBoard board_;
  LiveLists live_;
  OutcomeFeed outcomes_;
  const std::vector<std::unique_ptr<Tenant>> tenants_;
  TableWatchers watchers_;
  PositionGate gate_;
  ReadExecutor executor_;
  PositionWaits waits_;
  QueryPool pool_;
  std::jthread rechecker_;
  PositionPoller poller_;
  std::vector<std::unique_ptr<TopicFollower>> followers_;  // none without memory
  ChangeHub changes_;
};

}  // namespace fanfold::reader
