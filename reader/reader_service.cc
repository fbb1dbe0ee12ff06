#include "reader/reader_service.h"

#include "reader/routes.h"

namespace fanfold::reader {
ReaderService::ReaderService(EventLog& log, const ReaderFactory& factory,
                             const Placement& configured, const ReaderLimits& limits,
                             Metrics& metrics, const Clock& clock)
    : metrics_(metrics),
      board_(clock, configured.shards()),
      live_(configured.shards(), limits.cache, metrics),
      gate_(board_, FollowsRelations(live_)),
      executor_(board_, live_, gate_, waits_, pool_, clock, metrics),
      waits_(gate_, clock),
      pool_(factory, limits.threads,
            metrics.GetGauge("fanfold_reader_queue", "Queries that wait for a worker")),
      rechecker_([this](const std::stop_token& stop) { waits_.Run(stop); }),
      poller_(board_, live_, factory, log, metrics, clock),
      outcomes_(live_, metrics) {
  if (limits.cache.lists_bytes == 0) return;
  follower_.emplace(board_, outcomes_, log, FollowerSeries::OfOutcomes(metrics),
                    [this] { waits_.RecheckIfAny(); });
}

void ReaderService::AddRoutes(http::Router& router) {
  AddReaderRoutes(router, executor_, metrics_);
}

Status ReaderService::Ready() const {
  if (Status ready = board_.Ready(); !ready) return ready;
  return follower_ ? follower_->CaughtUp() : Status();
}

}  // namespace fanfold::reader
