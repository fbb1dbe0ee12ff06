#include "writer/writer_service.h"

#include <memory>
#include <utility>

#include "common/base/random.h"
#include "writer/metered_appender.h"
#include "writer/profiles/profile_routes.h"
#include "writer/routes.h"

namespace fanfold::writer {

WriterService::WriterService(EventLog& log, std::int32_t partitions, const Clock& clock,
                             Metrics& metrics)
    : log_(log),
      partitions_(partitions),
      metrics_(metrics),
      waiting_(metrics.GetGauge("fanfold_writer_waiters", "Requests waiting for an outcome.")),
      waiters_(clock, OutcomeWaiters::kWaitersMaxDefault),
      service_(waiters_, clock, RandomBits()),
      profiles_(log, partitions, clock, RandomBits()),
      follower_(log, partitions, waiters_),
      watch_(log, partitions, [this] { return Connect(); }),
      timer_([this](const std::stop_token& stop) { waiters_.ExpireUntil(stop); }) {}

Status WriterService::Connect() {
  Result<std::unique_ptr<LogAppender>> appender = log_.NewAppender(topics::kRelationEvents, {});
  if (!appender) return Forward(appender);
  Result<std::unique_ptr<LogAppender>> of_users = log_.NewAppender(topics::kUserEvents, {});
  if (!of_users) return Forward(of_users);
  service_.Connect(partitions_, NewMeteredAppender(std::move(*appender), metrics_));
  profiles_.Connect(NewMeteredAppender(std::move(*of_users), metrics_));
  return {};
}

void WriterService::AddRoutes(http::Router& router) {
  AddWriterRoutes(router, service_, metrics_);
  AddProfileRoutes(router, profiles_, metrics_);
}

Status WriterService::Ready() const {
  if (Status reachable = watch_.reachable(); !reachable) return reachable;
  if (!follower_.is_following()) {
    return Fail(ErrorCode::kUnavailable, "outcomes are not followed yet");
  }
  return {};
}

bool WriterService::Flush() {
  constexpr std::int64_t kTimeoutMs = AppenderOptions().delivery_timeout_ms + kMarginMs;
  const bool flushed = service_.Flush(kTimeoutMs);
  return profiles_.Flush(kTimeoutMs) && flushed;
}

}  // namespace fanfold::writer
