#include "reader/cold_users.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "reader/cache/list_rows.h"

namespace fanfold::reader {

struct ColdUsers::Batch {
  LiveLists::Ticket ticket;
  std::vector<WholeLists> asked;
  std::vector<std::pair<Then, Status>> refused;
};

Status ColdUsers::Fetch(UserId user, const ListsNeeded& needed, Then then, CallerPtr caller) {
  return Ask(user, needed, std::move(then), std::move(caller), kAskingMax);
}

Status ColdUsers::Ask(UserId user, const ListsNeeded& needed, Then then, CallerPtr caller,
                      std::ptrdiff_t asking_max) {
  const Result<Deployment> deployment = board_.Current();
  if (!deployment) return std::unexpected(deployment.error());
  const Shard shard = deployment->placement.ShardOf(user);
  const std::scoped_lock lock(mutex_);
  Queue& queue = queues_[shard];
  if (queue.asking >= asking_max) {
    return Fail(ErrorCode::kOverloaded, "too many queries wait for the database");
  }
  const bool is_slow = clock_.SteadyMs() - queue.began_ms > kSlowMs;
  if (queue.workers == 0 || (is_slow && queue.workers < kStatementsMax)) {
    Status added = AddWorker(shard, queue);
    if (!added && queue.workers == 0) return added;
  }
  // A read that needs more of a user who is asked for already finds that missing, and asks alone.
  const auto [place, is_new] = users_.try_emplace(user, User{needed, {}});
  if (is_new) queue.users.push_back(user);
  place->second.asking.push_back({std::move(then), std::move(caller), clock_.SteadyMs()});
  Count(queue, 1);
  return {};
}

// Requires the lock, as Count does.
Status ColdUsers::AddWorker(Shard shard, Queue& queue) {
  Status taken = pool_.Submit([this, shard](ShardedReader& readers) { Work(shard, readers); });
  if (!taken) return taken;
  ++queue.workers;
  queue.began_ms = clock_.SteadyMs();
  return {};
}

void ColdUsers::Count(Queue& queue, std::ptrdiff_t change) {
  queue.asking += change;
  asking_ += change;
  asking_shown_.Set(static_cast<double>(asking_));
}

void ColdUsers::Work(Shard shard, ShardedReader& readers) {
  for (bool goes_on = true; goes_on;) {
    Gather(shard);
    const std::int64_t began_ms = clock_.SteadyMs();
    const Batch batch = Take(shard, *board_.Current());  // known since somebody asked
    for (const auto& [then, why] : batch.refused) then(why);
    const Result<std::vector<WholeView>> views = Read(batch, shard, readers);
    goes_on = !PassOn(shard, batch, began_ms);
    if (views) {
      Settle(shard, batch, *views);
      continue;
    }
    for (const WholeLists& asked : batch.asked) {
      Tell(shard, asked.user, std::unexpected(views.error()));
    }
  }
}

Result<std::vector<WholeView>> ColdUsers::Read(const Batch& batch, Shard shard,
                                               ShardedReader& readers) {
  if (batch.asked.empty()) return {};
  const Result<ProjectionReader*> reader = readers.On(shard);
  if (!reader) return std::unexpected(reader.error());
  return (*reader)->Lists(batch.ticket.read, batch.asked, {kHeadRows, kRowsMax});
}

void ColdUsers::Gather(Shard shard) {
  std::unique_lock lock(mutex_);
  const std::int64_t wait_ms = queues_[shard].pace.WaitMs(clock_.SteadyMs());
  lock.unlock();
  if (wait_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
}

ColdUsers::Batch ColdUsers::Take(Shard shard, const Deployment& deployment) {
  Batch batch{live_.NewTicket(shard, deployment.read), {}, {}};
  const Status up = board_.ShardUp(shard);
  const std::scoped_lock lock(mutex_);
  Queue& queue = queues_[shard];
  queue.began_ms = clock_.SteadyMs();
  std::deque<UserId>& queued = queue.users;
  while (!queued.empty() && batch.asked.size() < kUsersMax) {
    const auto user = users_.find(queued.front());
    queued.pop_front();
    std::vector<Asking>& asking = user->second.asking;
    std::erase_if(asking, [&](Asking& each) {
      Status stays = up ? Stays(each) : up;
      if (stays) return false;
      Count(queue, -1);
      if (each.then) batch.refused.emplace_back(std::move(each.then), std::move(stays));
      return true;
    });
    if (asking.empty()) {
      users_.erase(user);
      continue;
    }
    const auto [following, fans] = user->second.needed;
    batch.asked.push_back(
        {user->first, deployment.placement.PartitionOf(user->first), following, fans});
  }
  return batch;
}

Status ColdUsers::Stays(const Asking& asking) const {
  if (asking.caller && asking.caller->is_gone()) {
    return Fail(ErrorCode::kOverloaded, "the connection was gone first");
  }
  if (clock_.SteadyMs() - asking.since_ms > QueryPool::kQueuedMaxMs) {
    return Fail(ErrorCode::kOverloaded, "no worker was free in time");
  }
  return {};
}

bool ColdUsers::PassOn(Shard shard, const Batch& taken, std::int64_t began_ms) {
  const std::scoped_lock lock(mutex_);
  Queue& queue = queues_[shard];
  queue.pace.Note(taken.asked.size(), began_ms, clock_.SteadyMs());
  if (!queue.users.empty() && !AddWorker(shard, queue)) return false;
  --queue.workers;
  return true;
}

// Those whose view the reader has yet to come to do not keep the others waiting.
void ColdUsers::Settle(Shard shard, const Batch& batch, std::span<const WholeView> views) {
  std::vector<std::size_t> ahead;
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (Hold(batch, batch.asked[i], views[i], 0)) {
      Tell(shard, batch.asked[i].user, {});
    } else {
      ahead.push_back(i);
    }
  }
  const std::int64_t until_ms = clock_.SteadyMs() + ahead_wait_ms_;
  for (const std::size_t i : ahead) {
    (void)Hold(batch, batch.asked[i], views[i],
               std::max<std::int64_t>(0, until_ms - clock_.SteadyMs()));
    Tell(shard, batch.asked[i].user, {});
  }
}

bool ColdUsers::Hold(const Batch& batch, const WholeLists& asked, const WholeView& view,
                     std::int64_t wait_ms) {
  bool came = true;
  const auto hold = [&](Direction list, const std::optional<std::vector<ListedUser>>& rows) {
    if (!rows) return;
    const LiveLists::Source source{list, asked.user, &view.position, batch.ticket};
    if (wait_ms > 0) (void)live_.WaitForReader(source, wait_ms);
    const ListRows whole{*rows, /*whole=*/true, EdgeCount(std::ssize(*rows))};
    came = live_.Install(source, whole) != ViewState::kAhead && came;
  };
  hold(Direction::kFollowing, view.following);
  hold(Direction::kFans, view.fans);
  return came;
}

void ColdUsers::Tell(Shard shard, UserId user, const Status& fetched) {
  std::vector<Asking> asking;
  {
    const std::scoped_lock lock(mutex_);
    asking = std::move(users_.extract(user).mapped().asking);
    Count(queues_[shard], -std::ssize(asking));
  }
  for (const Asking& each : asking) {
    if (each.then) each.then(fetched);
  }
}

}  // namespace fanfold::reader
