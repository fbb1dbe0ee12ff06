#include "common/sql/post_columns.h"

#include <optional>
#include <string_view>

namespace fanfold {

std::vector<PostWrite> PostTable::Mended(const RepairPlan& plan) {
  return MendedBy<PostWrite>(plan, [](std::string_view record, Version) -> std::optional<PostRow> {
    const auto outcome = DecodePostOutcome(record);
    return outcome ? std::optional(Apply({}, *outcome)) : std::nullopt;
  });
}

}  // namespace fanfold
