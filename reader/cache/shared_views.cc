#include "reader/cache/shared_views.h"

#include <algorithm>
#include <utility>

namespace fanfold {

SharedViews::SharedViews(int statements_max) : statements_max_(statements_max) {}

Result<WholeView> SharedViews::Ask(ProjectionReader& reader, Shard shard,
                                   const ReadGenerations& read, const WholeLists& asked,
                                   std::size_t rows_max) {
  Asking own{shard, read, asked, rows_max, false, std::nullopt};
  std::unique_lock lock(mutex_);
  waiting_.push_back(&own);
  told_.wait(lock, [&] { return own.told || (!own.taken && running_[shard] < statements_max_); });
  if (own.told) return *std::move(own.told);
  const std::vector<Asking*> together = TakeWith(own);
  ++running_[shard];
  lock.unlock();
  std::vector<WholeLists> lists;
  for (const Asking* each : together) lists.push_back(each->asked);
  Result<std::vector<WholeView>> views = reader.Lists(read, lists, rows_max);
  lock.lock();
  --running_[shard];
  for (std::size_t i = 0; i < together.size(); ++i) {
    if (views) {
      together[i]->told = std::move((*views)[i]);
    } else {
      together[i]->told = Forward(views);
    }
  }
  lock.unlock();
  told_.notify_all();
  return *std::move(own.told);
}

std::size_t SharedViews::waiting() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.size();
}

// Those that can share its statement; it comes first. Requires the lock.
std::vector<SharedViews::Asking*> SharedViews::TakeWith(Asking& first) {
  std::vector<Asking*> together;
  const auto take = [&](Asking* each) {
    each->taken = true;
    together.push_back(each);
    return true;
  };
  std::erase_if(waiting_, [&](Asking* each) { return each == &first && take(each); });
  std::erase_if(waiting_, [&](Asking* each) {
    const bool shares = each->shard == first.shard && each->read == first.read &&
                        each->rows_max == first.rows_max && together.size() < kUsersMax;
    const auto is_of_his = [&](const Asking* taken) {
      return taken->asked.user == each->asked.user;
    };
    return shares && std::ranges::none_of(together, is_of_his) && take(each);
  });
  return together;
}

}  // namespace fanfold
