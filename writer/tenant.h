// The parts that a stream beside the relations adds to the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/base/result.h"
#include "common/http/router.h"
#include "common/ports/event_log.h"

namespace fanfold::writer {

// Thread-safe. Connect is called once.
class Tenant {
 public:
  // Bounds the time from a request to its answer.
  static constexpr std::int64_t kAnswerMsMax = 15'000;

  virtual ~Tenant() = default;
  // Requests that wait for an outcome.
  [[nodiscard]] virtual std::size_t waiters() const { return 0; }
  // Can it tell what becomes of events? Does not block.
  [[nodiscard]] virtual Status Ready() const { return {}; }
  // The topic that it appends to.
  [[nodiscard]] virtual Topic topic() const = 0;
  // Gives it the topic's appender, which it owns. Requests that come before are refused.
  virtual void Connect(std::unique_ptr<LogAppender> appender) = 0;
  // The routes call this object until the server that uses them has stopped.
  virtual void AddRoutes(http::Router& router) = 0;
  // Waits until the log has answered for everything appended so far; false when the time ran out.
  [[nodiscard]] virtual bool Flush(std::int64_t timeout_ms) = 0;
};

// The ports that tenants stand on; all outlive them. Requires: Shape::IsValid of the partitions and
// one shard.
struct TenantPorts {
  EventLog& log;
  std::int32_t partitions;
  const Clock& clock;
  Metrics& metrics;
};

// Every tenant there is.
[[nodiscard]] std::vector<std::unique_ptr<Tenant>> NewTenants(const TenantPorts& ports);

}  // namespace fanfold::writer
