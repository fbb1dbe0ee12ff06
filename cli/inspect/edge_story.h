// An edge's story as text and as JSON. Pure.
#pragma once

#include <string>

#include "operations/explain/edge_story.h"

namespace fanfold {

[[nodiscard]] std::string StoryText(const operations::EdgeStory& story);

// One object in one line.
[[nodiscard]] std::string StoryJson(const operations::EdgeStory& story);

}  // namespace fanfold
