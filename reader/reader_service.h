// The reader whole, but for its adapters and its port.
#pragma once

#include <cstdint>
#include <thread>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/http/router.h"
#include "common/ports/event_log.h"
#include "reader/position_board.h"
#include "reader/position_poller.h"
#include "reader/position_waits.h"
#include "reader/query_pool.h"
#include "reader/read_executor.h"

namespace fanfold {

// Threads of its own follow the positions and ask the tables. Thread-safe.
class ReaderService {
 public:
  // Starts. `threads`: questions to the tables at once. All outlive this; so does the HTTP server
  // that uses the routes, stopped before: questions under way still answer to it.
  ReaderService(EventLog& log, const ReaderFactory& factory, std::int32_t shards, int threads,
                Metrics& metrics, const Clock& clock);
  ReaderService(const ReaderService&) = delete;
  ReaderService& operator=(const ReaderService&) = delete;

  void AddRoutes(http::Router& router);
  // Does not block.
  [[nodiscard]] Status Ready() const { return board_.Ready(); }

 private:
  // Workers and waits call back into the executor until they are gone, so it stands first.
  Metrics& metrics_;
  PositionBoard board_;
  ReadExecutor executor_;
  QueryPool pool_;
  PositionWaits waits_;
  std::jthread rechecker_;
  PositionPoller poller_;
};

}  // namespace fanfold
