// The rows of one batch while it is folded: each edge once, however many items touch it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/ports/edge_store.h"
#include "common/relation/edge.h"

namespace fanfold::projector {

// Add the key of every item, Seal, Fill with what the store says, move items in order, take the
// writes. Items are numbered from 0 in the order of Add. Thread-compatible.
class RowSet {
 public:
  void Add(const EdgeKey& key);
  void Seal();

  [[nodiscard]] std::span<const EdgeKey> keys() const noexcept { return keys_; }   // sorted, unique
  [[nodiscard]] std::span<const UserId> users() const noexcept { return users_; }  // sorted, unique

  // Requires: sealed; rows.edges in the order of keys(), rows.counts in that of users().
  void Fill(LoadedRows rows);

  [[nodiscard]] const Edge& EdgeOf(std::size_t item) const;
  // The count of the item's user, the moves so far included.
  [[nodiscard]] EdgeCount CountOf(std::size_t item) const;
  void Move(std::size_t item, const EdgeChange& change);

  // The changes.
  [[nodiscard]] EdgeWrites Writes() const;

 private:
  struct Place {
    std::uint32_t edge = 0;
    std::uint32_t user = 0;
  };
  std::vector<EdgeKey> added_;
  std::vector<Place> places_;  // of each item
  std::vector<EdgeKey> keys_;
  std::vector<UserId> users_;
  std::vector<Edge> edges_;
  std::vector<bool> changed_;
  std::vector<EdgeCount> counts_;
  std::vector<int> deltas_;
};

}  // namespace fanfold::projector
