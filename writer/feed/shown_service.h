// Turns what was shown to owners of feeds into events in the log. Knows nothing of HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/clock.h"
#include "common/feed/feed_event.h"
#include "common/ports/event_log.h"
#include "common/stream/event_ids.h"
#include "writer/command.h"
#include "writer/feed/shown_parser.h"
#include "writer/random_ids.h"
#include "writer/topic_appender.h"

namespace fanfold::writer {

// Thread-safe; nothing blocks. Each answer comes exactly once, from the caller's thread or the
// appender's, whose delivery timeout bounds it.
class ShownService {
 public:
  using Answered = std::function<void(const Answer&)>;

  // The clock outlives this. Requires: Shape::IsValid of the partitions and one shard.
  ShownService(std::int32_t partitions, const Clock& clock, std::uint64_t process_bits,
               std::uint64_t shown_id_bits)
      : clock_(clock), event_ids_(process_bits), shown_ids_(shown_id_bits), appender_(partitions) {}

  // Gives it the appender of feed-events, which it owns. Until then everything is refused with
  // kLogUnavailable. Requires: not called before.
  void Connect(std::unique_ptr<LogAppender> appender) { appender_.Connect(std::move(appender)); }

  // Appends an event for each, in order, then the one that the owner looked, which the answer
  // names: all are at or below its position. Behind one that is refused no more is appended, so
  // that the same request again keeps the order. Refusals: kLogUnavailable, kOverloaded; some may
  // be in the log then.
  void Shown(UserId owner, const std::vector<ShownItem>& items, Answered answered);

  // Waits until the log has answered for everything appended so far; false when the time ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms) { return appender_.Flush(timeout_ms); }

 private:
  // The events of one request, in the order in which they are appended.
  [[nodiscard]] std::vector<FeedEvent> EventsOf(UserId owner, const std::vector<ShownItem>& items);

  const Clock& clock_;
  EventIds event_ids_;
  RandomIds<ShownId> shown_ids_;
  TopicAppender appender_;  // last: it still calls back
};

}  // namespace fanfold::writer
