#include "common/feed/feed_event.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "common/base/enum_names.h"
#include "common/stream/record_fields.h"

namespace fanfold {
namespace {

constexpr Names<FeedEventType, 3> kFeedEventTypes = {{{FeedEventType::kShown, "shown"},
                                                      {FeedEventType::kActive, "active"},
                                                      {FeedEventType::kForget, "forget"}}};

using Read = std::expected<FeedEvent, Unreadable>;

Read ReadEvent(RecordFields& fields) {
  FeedEvent event;
  event.event_id = fields.EventId();
  const std::string type = fields.Text("type");
  if (!fields.ok()) return fields.Wrong();
  const std::optional<FeedEventType> known = ValueOf(kFeedEventTypes, type);
  if (!known) fields.Refuse(ParkReason::kUnknownType, "type is not shown, active or forget");
  event.type = known.value_or(FeedEventType::kActive);
  event.owner = fields.User("owner");
  event.at_ms = fields.Number("at");
  const bool shows = event.type == FeedEventType::kShown;
  const bool forgets = event.type == FeedEventType::kForget;
  if (shows || (forgets && fields.Has("shown_id"))) {
    event.shown_id = ShownId(fields.Id("shown_id", "an id"));
  }
  if (shows) {
    event.author = fields.User("author");
    event.post_id = PostId(fields.Id("post_id", "the id of a post"));
  }
  if (!fields.ok()) return fields.Wrong();
  return event;
}

}  // namespace

std::string_view ToString(FeedEventType type) noexcept { return NameOf(kFeedEventTypes, type); }

void AppendFeedEvent(std::string& out, const FeedEvent& event) {
  auto to = std::back_inserter(out);
  out += R"({"v":1,)";
  if (!event.event_id.empty()) {
    fmt::format_to(to, FMT_COMPILE(R"("event_id":"{}",)"), event.event_id);
  }
  fmt::format_to(to, FMT_COMPILE(R"("type":"{}","owner":"{}","at":{})"), ToString(event.type),
                 event.owner.value, event.at_ms);
  if (event.shown_id != ShownId(0)) {
    fmt::format_to(to, FMT_COMPILE(R"(,"shown_id":"{}")"), event.shown_id.value);
  }
  if (event.type == FeedEventType::kShown) {
    fmt::format_to(to, FMT_COMPILE(R"(,"author":"{}","post_id":"{}")"), event.author.value,
                   event.post_id.value);
  }
  out += '}';
}

std::string EncodeFeedEvent(const FeedEvent& event) {
  std::string out;
  AppendFeedEvent(out, event);
  return out;
}

Read DecodeFeedEvent(std::string_view value) {
  auto fields = RecordFields::Parse(value, kFeedCodecVersion);
  if (!fields) return std::unexpected(std::move(fields.error()));
  return ReadEvent(*fields);
}

Read ReadFeedRecord(std::optional<std::string_view> key, std::optional<std::string_view> value,
                    Partition partition, std::int32_t partitions) {
  const auto there = ValueToDecode(key, value);
  if (!there) return std::unexpected(there.error());
  Read event = DecodeFeedEvent(*there);
  if (!event) return event;
  auto placed = CheckPlace("owner", event->owner, key, partition, partitions);
  if (placed) return event;
  placed.error().event_id = std::move(event->event_id);
  return std::unexpected(std::move(placed.error()));
}

}  // namespace fanfold
