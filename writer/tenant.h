// What a stream beside the relations adds to the writer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/base/clock.h"
#include "common/base/metrics.h"
#include "common/http/router.h"
#include "common/ports/event_log.h"

namespace fanfold::writer {

// Thread-safe, but that Connect is called once.
class Tenant {
 public:
  // Everything taken is answered within it.
  static constexpr std::int64_t kAnswerMsMax = 15'000;

  virtual ~Tenant() = default;
  // To which it appends.
  [[nodiscard]] virtual Topic topic() const = 0;
  // Gives it the appender. What is asked before is refused.
  virtual void Connect(std::unique_ptr<LogAppender> appender) = 0;
  // They call this object until the server that uses them has stopped.
  virtual void AddRoutes(http::Router& router) = 0;
  // Waits until the log has answered for everything appended so far; false when the time ran out.
  [[nodiscard]] virtual bool Flush(std::int64_t timeout_ms) = 0;
};

// What they stand on, which outlives them. Requires: Shape::IsValid of the partitions and one
// shard.
struct TenantPorts {
  EventLog& log;
  std::int32_t partitions;
  const Clock& clock;
  Metrics& metrics;
};

// One of each.
[[nodiscard]] std::vector<std::unique_ptr<Tenant>> NewTenants(const TenantPorts& ports);

}  // namespace fanfold::writer
