#include "common/sql/feed_columns.h"

#include <optional>
#include <string_view>

namespace fanfold {

std::vector<FeedWrite> FeedTable::Mended(const RepairPlan& plan) {
  return MendedBy<FeedWrite>(
      plan, [](std::string_view record, Version version) -> std::optional<FeedRow> {
        const auto event = DecodeFeedEvent(record);
        return event ? std::optional(RowOf(*event, version)) : std::nullopt;
      });
}

}  // namespace fanfold
