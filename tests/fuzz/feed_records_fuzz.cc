// Records of feed-events, and bodies that tell what was shown: what is read of a record is written,
// and read, the same; of a body no more is taken than may be.
#include <algorithm>
#include <string>

#include "common/base/check.h"
#include "common/feed/feed_event.h"
#include "tests/fuzz/fuzz.h"
#include "writer/feed/shown_parser.h"

namespace fanfold {

const FuzzTarget kFeedRecords("feed_records", [](std::string_view input) {
  if (const auto event = DecodeFeedEvent(input)) {
    const std::string record = EncodeFeedEvent(*event);
    const auto again = DecodeFeedEvent(record);
    FANFOLD_CHECK(again && *again == *event && EncodeFeedEvent(*again) == record, record);
  }
  if (const auto shown = writer::ParseShown(input)) {
    FANFOLD_CHECK(shown->size() <= writer::kShownItemsMax, "too many items");
    const bool are_ids = std::ranges::all_of(*shown, [](const writer::ShownItem& item) {
      return item.author != UserId(0) && item.author.value <= kUserIdMax &&
             item.post != PostId(0) && item.post.value <= kPostIdMax;
    });
    FANFOLD_CHECK(are_ids, "an id that is none");
  }
});

}  // namespace fanfold
