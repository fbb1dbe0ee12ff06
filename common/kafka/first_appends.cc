#include "common/kafka/first_appends.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fanfold::kafka {

bool FirstAppends::MaySend(Partition partition, std::int64_t now_ms) {
  if (paused_ || !alone_) return !paused_;
  State& state = partitions_[partition];
  if (state.waits) return false;
  state.waits = !state.sent_ms || now_ms - *state.sent_ms > kForgottenMs;
  state.sent_ms = now_ms;
  return true;
}

void FirstAppends::Hold(Held record) {
  partitions_[record.partition].held.push_back(std::move(record));
}

std::vector<FirstAppends::Held> FirstAppends::Acked(Partition partition) {
  State& state = partitions_[partition];
  state.waits = false;
  return std::exchange(state.held, {});
}

std::vector<FirstAppends::Held> FirstAppends::Restart() {
  paused_ = false;
  std::vector<Held> all;
  for (auto& [partition, state] : std::exchange(partitions_, {})) {
    std::ranges::move(state.held, std::back_inserter(all));
  }
  return all;
}

std::vector<InFlight::Ticket> FirstAppends::GiveUp() {
  std::vector<InFlight::Ticket> tickets;
  for (auto& [partition, state] : partitions_) {
    for (const Held& record : state.held) tickets.push_back(record.ticket);
    state.held.clear();
  }
  return tickets;
}

}  // namespace fanfold::kafka
