#include "reader/reader_service.h"

#include "reader/changes/change_routes.h"
#include "reader/routes.h"

namespace fanfold::reader {
namespace {

using Tenants = std::span<const std::unique_ptr<Tenant>>;

std::vector<TableWatcher*> WatchersOf(LiveLists& live, Tenants tenants) {
  std::vector<TableWatcher*> watchers = {&live};
  for (const auto& tenant : tenants) {
    if (TableWatcher* watcher = tenant->watcher()) watchers.push_back(watcher);
  }
  return watchers;
}

ReaderPositions PositionsOf(const LiveLists& live, Tenants tenants) {
  ReaderPositions positions = FollowsRelations(live);
  for (const auto& tenant : tenants) {
    const TopicFeed* feed = tenant->feed();
    if (feed != nullptr) positions[feed->begins_with().stream()] = &feed->position();
  }
  return positions;
}

}  // namespace

ReaderService::ReaderService(EventLog& log, const ReaderFactory& factory, const Shape& configured,
                             const ReaderLimits& limits, Metrics& metrics, const Clock& clock)
    : metrics_(metrics),
      board_(clock, configured),
      live_(configured.shards, limits.cache, metrics),
      outcomes_(live_, metrics),
      tenants_(
          NewTenants({configured.shards, limits.tenant_bytes, limits.posts_bytes}, live_, metrics)),
      watchers_(WatchersOf(live_, tenants_)),
      gate_(board_, PositionsOf(live_, tenants_)),
      executor_(board_, live_, gate_, waits_, pool_, clock, metrics),
      waits_(gate_, clock),
      pool_(factory, limits.threads,
            metrics.GetGauge("fanfold_reader_queue", "Queries that wait for a worker"),
            QueryPool::kQueueMax, configured.shards),
      rechecker_([this](const std::stop_token& stop) { waits_.Run(stop); }),
      poller_(board_, watchers_, factory, log, metrics, clock),
      changes_(log, board_, factory, clock, metrics) {
  const auto follow = [&](TopicFeed& feed, const FollowerSeries& series) {
    followers_.push_back(std::make_unique<TopicFollower>(board_, feed, log, series,
                                                         [this] { waits_.RecheckIfAny(); }));
  };
  if (limits.cache.lists_bytes > 0) follow(outcomes_, FollowerSeries::OfOutcomes(metrics));
  if (limits.tenant_bytes == 0) return;
  for (const auto& tenant : tenants_) {
    TopicFeed* feed = tenant->feed();
    if (feed == nullptr) continue;
    follow(*feed, FollowerSeries::Of(feed->begins_with().stream().applied(), metrics));
  }
}

void ReaderService::AddRoutes(http::Router& router) {
  AddReaderRoutes(router, executor_, metrics_, tenants_);
  AddChangeRoutes(router, changes_, metrics_);
}

Status ReaderService::Ready() const {
  if (Status ready = board_.Ready(); !ready) return ready;
  for (const auto& follower : followers_) {
    if (Status caught_up = follower->CaughtUp(); !caught_up) return caught_up;
  }
  return {};
}

}  // namespace fanfold::reader
