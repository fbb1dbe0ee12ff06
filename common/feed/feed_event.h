// The events of feed-events: a post was shown to an owner, the owner looked, either is forgotten.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "common/stream/ids.h"
#include "common/stream/parking.h"

namespace fanfold {

inline constexpr std::int64_t kFeedCodecVersion = 1;

enum class FeedEventType : std::uint8_t {
  kShown = 1,   // a post
  kActive = 2,  // the owner looked
  kForget = 3,  // one of these two
};

[[nodiscard]] std::string_view ToString(FeedEventType type) noexcept;

struct FeedEvent {
  std::string event_id;  // empty where a foreign producer gave none
  FeedEventType type = FeedEventType::kActive;
  UserId owner;
  std::int64_t at_ms = 0;
  // Tells apart the times that something was shown to the owner; the event's writer chooses it.
  // 0: the owner looked.
  ShownId shown_id;
  // Of kShown alone; the post need not exist.
  UserId author = {};
  PostId post_id = {};
  friend bool operator==(const FeedEvent&, const FeedEvent&) = default;
};

// JSON as schemas/events describes it, in a fixed order of fields, no spaces.
void AppendFeedEvent(std::string& out, const FeedEvent& event);
[[nodiscard]] std::string EncodeFeedEvent(const FeedEvent& event);

// The value of a record of feed-events, in any JSON that any producer writes; unknown fields are
// ignored.
[[nodiscard]] std::expected<FeedEvent, Unreadable> DecodeFeedEvent(std::string_view value);

// Reads a record of feed-events: decodes it, compares its key with its owner, and its partition
// with the owner's slot.
[[nodiscard]] std::expected<FeedEvent, Unreadable> ReadFeedRecord(
    std::optional<std::string_view> key, std::optional<std::string_view> value, Partition partition,
    std::int32_t partitions);

}  // namespace fanfold
