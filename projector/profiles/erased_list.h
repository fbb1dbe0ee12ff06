// The lists of an account that its end walks, in order: whose rows, and the events that end them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/feed/feed_event.h"
#include "common/ports/profile_erasure.h"
#include "common/ports/row_image.h"
#include "common/post/post_event.h"
#include "common/relation/direction.h"
#include "common/relation/event.h"
#include "common/stream/event_ids.h"

namespace fanfold::projector {

// An event as it is appended.
struct EndEvent {
  UserId key;
  std::string value;
};

// The parts that all events of a page share.
struct EndsAsked {
  const Erasure& erasure;
  std::int32_t partitions = 1;
  std::int64_t at_ms = 0;
  EventIds& ids;
};

struct ErasedList {
  EraseStage stage;       // while it is walked
  Projection projection;  // the account's rows in it are the list
  bool own_alone;  // they stand behind the account's own partition alone, and so do their ends
  // The events that end these rows, as far as the deletion reaches. Pure but for the ids.
  std::vector<EndEvent> (*ends)(const EndsAsked& asked, std::span<const RowImage> rows);

  [[nodiscard]] Stream stream() const noexcept { return projection.stream(); }
};

[[nodiscard]] std::span<const ErasedList> ErasedLists();

// The list walked now: the first that is not done, of those the deletion says the ends of; null
// where all are done. A deletion that says none, as one that was put into another log, ends
// nothing.
[[nodiscard]] const ErasedList* ListWalked(const Erasure& erasure);
// The first stage behind this list of the account.
[[nodiscard]] EraseStage StageBehind(const ErasedList& list, const Erasure& erasure);

// The rows of one kind, as ErasedList's `ends` has it.
[[nodiscard]] std::vector<Event> EndsOfEdges(const EndsAsked& asked, Direction list,
                                             std::span<const RowImage> rows);
[[nodiscard]] std::vector<PostEvent> EndsOfPosts(const EndsAsked& asked,
                                                 std::span<const RowImage> rows);
[[nodiscard]] std::vector<FeedEvent> EndsOfShown(const EndsAsked& asked,
                                                 std::span<const RowImage> rows);

}  // namespace fanfold::projector
