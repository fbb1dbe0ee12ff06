#include "writer/writer_service.h"

#include <memory>
#include <utility>

#include "common/base/random.h"
#include "writer/metered_appender.h"
#include "writer/routes.h"

namespace fanfold::writer {

WriterService::WriterService(EventLog& log, std::int32_t partitions, const Clock& clock,
                             Metrics& metrics)
    : log_(log),
      partitions_(partitions),
      metrics_(metrics),
      waiting_(metrics.GetGauge("fanfold_writer_waiters", "Requests waiting for an outcome")),
      waiters_(clock, OutcomeWaiters::kWaitersMaxDefault),
      service_(waiters_, clock, RandomBits()),
      tenants_(NewTenants({log, partitions, clock, metrics})),
      follower_(log, partitions, waiters_),
      watch_(
          log, partitions, [this] { return Connect(); }, [this] { return MayAppend(); }),
      timer_([this](const std::stop_token& stop) { waiters_.ExpireUntil(stop); }) {}

Status WriterService::Connect() {
  Result<std::unique_ptr<LogAppender>> appender = log_.NewAppender(topics::kRelationEvents, {});
  if (!appender) return Forward(appender);
  std::vector<std::unique_ptr<LogAppender>> of_tenants;
  for (const auto& tenant : tenants_) {
    Result<std::unique_ptr<LogAppender>> own = log_.NewAppender(tenant->topic(), {});
    if (!own) return Forward(own);
    of_tenants.push_back(std::move(*own));
  }
  service_.Connect(partitions_, Kept(topics::kRelationEvents, std::move(*appender)));
  for (std::size_t i = 0; i < tenants_.size(); ++i) {
    tenants_[i]->Connect(Kept(tenants_[i]->topic(), std::move(of_tenants[i])));
  }
  return {};
}

// Metered, and asked from now on.
std::unique_ptr<LogAppender> WriterService::Kept(Topic topic,
                                                 std::unique_ptr<LogAppender> appender) {
  auto metered = NewMeteredAppender(topic, std::move(appender), metrics_,
                                    [this] { return watch_.is_other(); });
  appenders_.push_back(metered.get());
  return metered;
}

Status WriterService::MayAppend() const {
  for (const LogAppender* appender : appenders_) {
    if (Status may = appender->MayAppend(); !may) return may;
  }
  return {};
}

void WriterService::AddRoutes(http::Router& router) {
  AddWriterRoutes(router, service_, metrics_);
  for (const auto& tenant : tenants_) tenant->AddRoutes(router);
}

Status WriterService::Ready() const {
  if (Status reachable = watch_.reachable(); !reachable) return reachable;
  if (!follower_.is_following()) {
    return Fail(ErrorCode::kUnavailable, "outcomes are not followed yet");
  }
  for (const auto& tenant : tenants_) {
    if (Status ready = tenant->Ready(); !ready) return ready;
  }
  return {};
}

void WriterService::ShowGauges() {
  std::size_t waiting = waiters_.size();
  for (const auto& tenant : tenants_) waiting += tenant->waiters();
  waiting_.Set(static_cast<double>(waiting));
}

bool WriterService::Flush() {
  const SystemClock clock;
  const std::int64_t until_ms = clock.SteadyMs() + kFlushTimeoutMs;
  const auto left_ms = [&] { return std::max<std::int64_t>(until_ms - clock.SteadyMs(), 0); };
  bool flushed = service_.Flush(left_ms());
  for (const auto& tenant : tenants_) flushed = tenant->Flush(left_ms()) && flushed;
  return flushed;
}

}  // namespace fanfold::writer
