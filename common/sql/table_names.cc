#include "common/sql/table_names.h"

#include <fmt/format.h>

namespace fanfold {

std::string TableOf(std::string_view stem, Generation generation) {
  return fmt::format("{}_g{}", stem, generation.value);
}

TableNames TablesOf(Direction list, Generation generation) {
  const auto stems = ProjectionOf(list).tables();
  return {TableOf(stems[0], generation), TableOf(stems[1], generation),
          list == Direction::kFollowing ? "target_id" : "fan_id"};
}

TableNames TablesOf(Projection projection, Generation generation) {
  return TablesOf(ListsOf(projection), generation);
}

}  // namespace fanfold
