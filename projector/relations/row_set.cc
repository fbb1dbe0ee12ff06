#include "projector/relations/row_set.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/base/check.h"

namespace fanfold::projector {

void RowSet::Add(const EdgeKey& key) { added_.push_back(key); }

void RowSet::Seal() {
  std::vector<std::uint32_t> order(added_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t item) { return added_[item]; });
  places_.resize(added_.size());
  for (const std::uint32_t item : order) {
    const EdgeKey& key = added_[item];
    if (users_.empty() || users_.back() != key.user) users_.push_back(key.user);
    if (keys_.empty() || keys_.back() != key) keys_.push_back(key);
    places_[item] = {static_cast<std::uint32_t>(keys_.size() - 1),
                     static_cast<std::uint32_t>(users_.size() - 1)};
  }
  changed_.assign(keys_.size(), false);
  deltas_.assign(users_.size(), 0);
}

void RowSet::Fill(LoadedRows rows) {
  FANFOLD_CHECK(rows.edges.size() == keys_.size(), "the store answered another number of edges");
  edges_ = std::move(rows.edges);
  counts_ = std::move(rows.counts);
}

const Edge& RowSet::EdgeOf(std::size_t item) const { return edges_[places_[item].edge]; }

EdgeCount RowSet::CountOf(std::size_t item) const {
  const std::uint32_t user = places_[item].user;
  return EdgeCount(counts_[user].value + deltas_[user]);
}

void RowSet::Move(std::size_t item, const EdgeChange& change) {
  if (!change.changed) return;
  const Place place = places_[item];
  edges_[place.edge] = change.edge;
  changed_[place.edge] = true;
  deltas_[place.user] += change.delta;
}

EdgeWrites RowSet::Writes() const {
  EdgeWrites writes;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (changed_[i]) writes.edges.push_back({keys_[i], edges_[i]});
  }
  for (std::size_t i = 0; i < users_.size(); ++i) {
    if (deltas_[i] != 0) writes.counts.push_back({users_[i], deltas_[i]});
  }
  return writes;
}

}  // namespace fanfold::projector
