#include "projector/accounts/ended_accounts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fanfold::projector {

Result<EndedAccounts::Ended> EndedAccounts::Among(std::span<const UserId> users) {
  if (Status looked = Look(); !looked) return Forward(looked);
  std::vector<UserId> asked;
  std::ranges::copy_if(users, std::back_inserter(asked),
                       [this](UserId user) { return MayHaveEnded(user); });
  if (asked.empty()) return Ended();
  std::ranges::sort(asked);
  const auto repeats = std::ranges::unique(asked);
  asked.erase(repeats.begin(), repeats.end());
  Result<std::vector<Erasure>> told = store_->Ended(asked);
  if (!told) return Forward(told);
  Ended ended;
  for (Erasure& erasure : *told) ended.emplace(erasure.key.user, std::move(erasure));
  return ended;
}

Status EndedAccounts::Look() {
  const std::int64_t now_ms = clock_.SteadyMs();
  if (knows_ && now_ms - looked_ms_ < kKnownMs) return {};
  if (knows_) {
    if (Status looked = LookAtOpen(now_ms); !looked || knows_) return looked;
  }
  return now_ms < all_due_ms_ ? Status() : LookAtAll(now_ms);
}

// The age is that of the question: what was written after it is not in the answer. What was open is
// enough where the answer came while all that was begun since the last question was open still.
Status EndedAccounts::LookAtOpen(std::int64_t now_ms) {
  knows_ = false;
  if (now_ms - looked_ms_ >= kOpenMs) return {};
  Result<std::vector<UserId>> open = store_->Deleted(/*open=*/true, accounts_max_ + 1);
  if (!open) return Forward(open);
  if (clock_.SteadyMs() - looked_ms_ >= kOpenMs) return {};
  looked_ms_ = now_ms;
  Know(*std::move(open));
  return {};
}

Status EndedAccounts::LookAtAll(std::int64_t now_ms) {
  Result<std::vector<UserId>> all = store_->Deleted(/*open=*/false, accounts_max_ + 1);
  if (!all) return Forward(all);
  deleted_.clear();
  looked_ms_ = now_ms;
  Know(*std::move(all));
  if (!knows_) return {};
  const std::int64_t took_ms = clock_.SteadyMs() - now_ms;
  all_due_ms_ = now_ms + took_ms + std::max(kPauseMs, kPauseTimes * took_ms);
  knows_ = took_ms < kOpenMs;
  return {};
}

void EndedAccounts::Know(std::vector<UserId> deleted) {
  std::ranges::sort(deleted);
  std::vector<UserId> all;
  all.reserve(deleted_.size() + deleted.size());
  std::ranges::set_union(deleted_, deleted, std::back_inserter(all));
  knows_ = all.size() <= accounts_max_;
  deleted_ = knows_ ? std::move(all) : std::vector<UserId>();
  if (!knows_) all_due_ms_ = looked_ms_ + kTooManyPauseMs;
}

bool EndedAccounts::MayHaveEnded(UserId user) const {
  return !knows_ || std::ranges::binary_search(deleted_, user);
}

}  // namespace fanfold::projector
