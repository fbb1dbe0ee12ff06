// The one place that knows what the tables of a generation are called.
#pragma once

#include <string>
#include <string_view>

#include "common/ports/lane.h"
#include "common/stream/ids.h"

namespace fanfold {

// "following_g1" of "following"
[[nodiscard]] std::string TableOf(std::string_view stem, Generation generation);

// The tables of a generation of edges.
struct TableNames {
  std::string edges;       // "following_g1"
  std::string counts;      // "following_count_g1"
  std::string_view other;  // the column of the listed user: "target_id"
};

[[nodiscard]] TableNames TablesOf(Direction list, Generation generation);
// Requires: a projection of edges.
[[nodiscard]] TableNames TablesOf(Projection projection, Generation generation);

}  // namespace fanfold
