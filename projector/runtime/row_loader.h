// Gives a batch its rows: from memory what the worker knows, from the store the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/projection_store.h"
#include "projector/runtime/row_memory.h"
#include "projector/runtime/row_set.h"

namespace fanfold::projector {

// Thread-compatible; blocks as the store does.
class RowLoader {
 public:
  // A user whose count is at most this is read whole, which costs little more than one row of his
  // and answers everything about him from then on.
  static constexpr std::int64_t kSmallListMax = 8;
  // What whole lists may bring at once; unfollowed rows are in no count.
  static constexpr std::size_t kListRowsMax = 65'536;

  RowLoader(ProjectionStore& store, Projection projection, Generation generation,
            std::size_t entries_max)
      : store_(store), projection_(projection), generation_(generation), memory_(entries_max) {}

  // Fills the edges and counts of a sealed set. Errors: the store's; nothing was filled.
  [[nodiscard]] Status Fill(RowSet& rows);
  // The batch is in the tables.
  void Committed(const StoreBatch& batch) { memory_.Note(batch); }
  // A lane has been taken: others may have written its rows before.
  void Forget() { memory_.Forget(); }

 private:
  [[nodiscard]] Status Meet(std::span<const UserId> strangers);
  [[nodiscard]] Status LearnSmall(std::span<const UserId> users, std::span<const EdgeCount> counts);

  ProjectionStore& store_;
  Projection projection_;
  Generation generation_;
  RowMemory memory_;
};

}  // namespace fanfold::projector
