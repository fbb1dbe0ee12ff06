// The stories of a user's rows as text and as JSON. Pure.
#pragma once

#include <span>
#include <string>

#include "common/stream/slot.h"
#include "operations/explain/row_story.h"

namespace fanfold {

[[nodiscard]] std::string RowStoriesText(std::span<const operations::RowStory> stories,
                                         const Placement& placement);
// {"user_id","rows":[{"projection","records":[…],"found","told","verdict"}]} in one line.
[[nodiscard]] std::string RowStoriesJson(std::span<const operations::RowStory> stories,
                                         const Placement& placement);

}  // namespace fanfold
