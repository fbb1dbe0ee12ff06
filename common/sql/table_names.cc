#include "common/sql/table_names.h"

#include <fmt/format.h>

namespace fanfold {

TableNames TablesOf(ProjectionKind projection, Generation generation) {
  switch (projection) {
    case ProjectionKind::kFollowing:
      return {fmt::format("following_g{}", generation.value),
              fmt::format("following_count_g{}", generation.value), "target_id"};
    case ProjectionKind::kFans:
      return {fmt::format("fans_g{}", generation.value),
              fmt::format("fan_count_g{}", generation.value), "fan_id"};
  }
  return {};
}

}  // namespace fanfold
