// The stories of a user's rows as text and as JSON. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "operations/explain/row_story.h"

namespace fanfold {

[[nodiscard]] std::string RowStoriesText(std::span<const operations::RowStory> stories,
                                         std::int32_t partitions);
// {"user_id","rows":[{"projection","records":[…],"found","told","verdict"}]} in one line.
[[nodiscard]] std::string RowStoriesJson(std::span<const operations::RowStory> stories,
                                         std::int32_t partitions);

}  // namespace fanfold
