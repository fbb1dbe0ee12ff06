// The story of a user's one row, in projections where a user has one: the records that say the row,
// and what they led to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ports/row_image.h"
#include "operations/base/context.h"
#include "operations/explain/edge_story.h"
#include "operations/log/record_reader.h"

namespace fanfold::operations {

struct RowStory {
  Projection projection;
  Generation generation{1};
  UserId user;
  Shard shard;
  std::vector<StoredRecord> records;  // that say the user's row, by offset
  std::optional<Offset> position;     // where the lane stands; nothing: there is none
  RowState found;
  RowState told;  // by the records below the position
  RowVerdict verdict = RowVerdict::kNotJudged;
};

// The stories of the projections where a user has one row. Reads the user's partition of each one's
// stream from end to end. Errors: the ports'.
[[nodiscard]] Result<std::vector<RowStory>> ExplainRows(Context& context, UserId user);

}  // namespace fanfold::operations
