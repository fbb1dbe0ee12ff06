// The writer whole, but for its log and its port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/http/router.h"
#include "common/ports/event_log.h"
#include "writer/command_parser.h"
#include "writer/command_service.h"
#include "writer/log_watch.h"
#include "writer/outcome_follower.h"
#include "writer/outcome_waiters.h"
#include "writer/tenant.h"

namespace fanfold::writer {

// Threads of its own connect to the log, follow the outcomes and end waits. Thread-safe.
class WriterService {
 public:
  // Appends that are still under way after the ports have drained get so long, and no longer.
  static constexpr std::int64_t kFlushTimeoutMs = 1'000;

  // Starts. `partitions`: the deployment's. Requires: Shape::IsValid of them and one shard. All
  // others outlive this.
  WriterService(EventLog& log, std::int32_t partitions, const Clock& clock, Metrics& metrics);
  // Blocks for at most one call to the log.
  ~WriterService() = default;
  WriterService(const WriterService&) = delete;
  WriterService& operator=(const WriterService&) = delete;

  // The routes call this object until the server that uses them has stopped.
  void AddRoutes(http::Router& router);
  // Can it take events and tell what became of them? Does not block.
  [[nodiscard]] Status Ready() const;
  // Sets the gauges; called now and then.
  void ShowGauges();
  // Waits until the log has answered for everything taken, at most the append's timeout and
  // kMarginMs; false when some of it is still on its way.
  [[nodiscard]] bool Flush();

 private:
  [[nodiscard]] Status Connect();
  [[nodiscard]] std::unique_ptr<LogAppender> Kept(Topic topic,
                                                  std::unique_ptr<LogAppender> appender);
  [[nodiscard]] Status MayAppend() const;

  EventLog& log_;
  const std::int32_t partitions_;
  Metrics& metrics_;
  Gauge& waiting_;
  OutcomeWaiters waiters_;
  CommandService service_;
  const std::vector<std::unique_ptr<Tenant>> tenants_;
  OutcomeFollower follower_;
  std::vector<const LogAppender*> appenders_;  // every one that was given away; the watch's own
  LogWatch watch_;
  std::jthread timer_;  // last: it uses the waiters
};

}  // namespace fanfold::writer
