// Gives a batch its rows: from memory what the worker knows, from the store the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/edge_store.h"
#include "projector/relations/row_memory.h"
#include "projector/relations/row_set.h"

namespace fanfold::projector {

// Thread-compatible; blocks as the store does.
class RowLoader {
 public:
  // A user whose count is at most this is read whole: that costs little more than one row, and
  // answers everything about the user from then on.
  static constexpr std::int64_t kSmallListMax = 8;
  // Rows that whole lists may bring at once; counts do not bound them, since they leave unfollowed
  // rows out.
  static constexpr std::size_t kListRowsMax = 65'536;

  // `store` outlives it.
  RowLoader(EdgeStore& store, std::size_t entries_max) : store_(store), memory_(entries_max) {}

  // Fills the edges and counts of a sealed set. Errors: the store's; nothing was filled.
  [[nodiscard]] Status Fill(RowSet& rows);
  // The writes are in the tables.
  void Committed(const EdgeWrites& writes) { memory_.Note(writes); }
  // A lane has been taken: others may have written its rows before.
  void Forget() { memory_.Forget(); }

 private:
  [[nodiscard]] Status Meet(std::span<const UserId> strangers);
  [[nodiscard]] Status LearnSmall(std::span<const UserId> users, std::span<const EdgeCount> counts);

  EdgeStore& store_;
  RowMemory memory_;
};

}  // namespace fanfold::projector
