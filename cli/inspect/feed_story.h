// The story of a post in a feed as text and as JSON. Pure.
#pragma once

#include <string>

#include "operations/explain/feed_story.h"

namespace fanfold {

[[nodiscard]] std::string FeedStoryText(const operations::FeedStory& story);
// One object in one line.
[[nodiscard]] std::string FeedStoryJson(const operations::FeedStory& story);

}  // namespace fanfold
