// An edge's story as text and as JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "operations/explain/edge_story.h"

namespace fanfold {

// "agrees", "differs", "not_judged"
[[nodiscard]] std::string_view NameOf(operations::RowVerdict verdict) noexcept;

[[nodiscard]] std::string StoryText(const operations::EdgeStory& story);

// One object in one line.
[[nodiscard]] std::string StoryJson(const operations::EdgeStory& story);

}  // namespace fanfold
