#include "projector/runtime/shard_workers.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "common/base/logging.h"
#include "common/base/pause.h"

namespace fanfold::projector {

ShardWorkers::ShardWorkers(Projection projection, Shard shard, std::unique_ptr<LaneStore> store,
                           NewThread new_thread, AskCatalog ask_catalog)
    : projection_(projection),
      shard_(shard),
      store_(std::move(store)),
      new_thread_(std::move(new_thread)),
      ask_catalog_(std::move(ask_catalog)),
      looked_(Fail(ErrorCode::kUnavailable, "the shard's generations are not known yet")),
      watch_([this](const std::stop_token& stop) { Run(stop); }) {}

ShardWorkers::~ShardWorkers() {
  watch_.request_stop();
  watch_.join();
}

void ShardWorkers::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Look();
    PauseUnlessStopped(kLookMs, stop);
  }
}

void ShardWorkers::Look() {
  const Result<std::vector<FoldedGeneration>> generations = store_->Generations(projection_);
  if (generations) {
    CompareWithCatalog(*generations);
    return Follow(*generations);
  }
  const std::scoped_lock lock(mutex_);
  // Those that run go on, and say themselves how they are.
  if (threads_.empty()) looked_ = std::unexpected(generations.error());
}

// What is read has been folded on every shard since before it was promoted: only a restore takes it
// away. Twice, since it may be promoted, and the others dropped, between the two questions.
void ShardWorkers::CompareWithCatalog(std::span<const FoldedGeneration> generations) {
  if (std::ranges::equal(generations, compared_)) return lacked_.reset();
  const Result<Generation> read = ask_catalog_();
  if (!read) return;
  const bool is_restored = IsFromBefore(generations, *read);
  const bool is_sure = lacked_ == *read;
  lacked_ = is_restored ? std::optional(*read) : std::nullopt;
  if (is_restored && !is_sure) return;
  // What is there after a restore is compared again, also where it is what was there before.
  compared_.assign(generations.begin(), is_restored ? generations.begin() : generations.end());
  is_restored_ = is_restored;
}

void ShardWorkers::Follow(std::span<const FoldedGeneration> generations) {
  Drop(generations);
  Status looked;
  for (const FoldedGeneration& folded : generations) {
    if (Status tended = Tend(folded); !tended) looked = tended;
  }
  Say(std::move(looked));
}

void ShardWorkers::Say(Status looked) {
  const std::scoped_lock lock(mutex_);
  looked_ = std::move(looked);
}

void ShardWorkers::Drop(std::span<const FoldedGeneration> kept) {
  std::vector<std::shared_ptr<ShardThread>> dropped;  // stops without the lock
  const std::scoped_lock lock(mutex_);
  for (auto at = threads_.begin(); at != threads_.end();) {
    if (std::ranges::count(kept, at->first, &FoldedGeneration::generation) != 0) {
      ++at;
      continue;
    }
    LogInfo("generation dropped", {{"projection", ToString(projection_)},
                                   {"shard", shard_.value},
                                   {"generation", at->first.value}});
    dropped.push_back(std::move(at->second));
    at = threads_.erase(at);
  }
}

std::shared_ptr<ShardThread> ShardWorkers::Running(Generation generation) const {
  const std::scoped_lock lock(mutex_);
  const auto running = threads_.find(generation);
  return running == threads_.end() ? nullptr : running->second;
}

// A generation that is new gets its thread, which is made without the lock: shards and log may be
// slow, and partitions come and go meanwhile. What cannot be made is tried again at the next look.
Status ShardWorkers::Tend(const FoldedGeneration& folded) {
  if (const auto running = Running(folded.generation)) {
    running->OrderToDecide(folded.to_decide);
    running->OrderToHalt(is_restored_);
    return {};
  }
  Say(Fail(ErrorCode::kUnavailable, fmt::format("generation {} starts", folded.generation.value)));
  Result<std::shared_ptr<ShardThread>> thread = new_thread_(folded);
  if (!thread) return Forward(thread);
  (*thread)->OrderToDecide(folded.to_decide);
  (*thread)->OrderToHalt(is_restored_);
  if (Status started = (*thread)->Start(); !started) return started;
  const std::scoped_lock lock(mutex_);
  const std::vector<Partition> owned(owned_.begin(), owned_.end());
  (*thread)->Gain(owned);
  threads_.emplace(folded.generation, std::move(*thread));
  return {};
}

void ShardWorkers::Gain(std::span<const Partition> partitions) {
  const std::scoped_lock lock(mutex_);
  owned_.insert(partitions.begin(), partitions.end());
  for (const auto& [generation, thread] : threads_) thread->Gain(partitions);
}

ShardWorkers::Losing ShardWorkers::Lose(std::span<const Partition> partitions) {
  const std::scoped_lock lock(mutex_);
  for (const Partition partition : partitions) owned_.erase(partition);
  Losing losing;
  for (const auto& [generation, thread] : threads_) {
    losing.emplace_back(thread, thread->Lose(partitions));
  }
  return losing;
}

Status ShardWorkers::Health() const {
  const std::scoped_lock lock(mutex_);
  if (!looked_) return looked_;
  for (const auto& [generation, thread] : threads_) {
    if (Status health = thread->Health(); !health) return health;
  }
  return {};
}

}  // namespace fanfold::projector
