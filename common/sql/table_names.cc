#include "common/sql/table_names.h"

#include <fmt/format.h>

namespace fanfold {
namespace {

struct Stems {
  std::string_view edges;
  std::string_view counts;
  std::string_view other;
};

constexpr Stems StemsOf(Direction list) {
  return list == Direction::kFollowing ? Stems{"following", "following_count", "target_id"}
                                       : Stems{"fans", "fan_count", "fan_id"};
}

}  // namespace

TableNames TablesOf(Direction list, Generation generation) {
  const Stems stems = StemsOf(list);
  return {fmt::format("{}_g{}", stems.edges, generation.value),
          fmt::format("{}_g{}", stems.counts, generation.value), stems.other};
}

TableNames TablesOf(Projection projection, Generation generation) {
  return TablesOf(ListsOf(projection), generation);
}

}  // namespace fanfold
