#include "common/feed/feed_row.h"

namespace fanfold {

FeedRow RowOf(const FeedEvent& event, Version version) noexcept {
  const bool forgets = event.type == FeedEventType::kForget;
  return {.author = event.author,
          .post_id = event.post_id,
          .at_ms = forgets ? 0 : event.at_ms,
          .active = !forgets,
          .version = version};
}

}  // namespace fanfold
