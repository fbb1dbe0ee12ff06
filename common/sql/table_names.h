// The one place that knows what the tables of a generation are called.
#pragma once

#include <string>
#include <string_view>

#include "common/ports/lane.h"
#include "common/stream/ids.h"

namespace fanfold {

struct TableNames {
  std::string edges;       // "following_g1"
  std::string counts;      // "following_count_g1"
  std::string_view other;  // the column of the listed user: "target_id"
};

[[nodiscard]] TableNames TablesOf(Direction list, Generation generation);
[[nodiscard]] TableNames TablesOf(Projection projection, Generation generation);

}  // namespace fanfold
