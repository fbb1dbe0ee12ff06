#include "cli/inspect/feed_text.h"

#include <fmt/format.h>

#include "operations/base/text.h"

namespace fanfold {
namespace {

// Which post, or which of the times that something was shown.
std::string WhatText(const FeedEvent& event) {
  switch (event.type) {
    case FeedEventType::kShown:
      return fmt::format("  author {} post {}", event.author.value, event.post_id.value);
    case FeedEventType::kForget:
      return event.shown_id == ShownId(0) ? "  that they looked"
                                          : fmt::format("  shown {}", event.shown_id.value);
    case FeedEventType::kActive:
      break;
  }
  return {};
}

}  // namespace

std::expected<std::string, Unreadable> FeedRecordText(const LogRecord& record,
                                                      std::int32_t partitions) {
  const auto event = ReadFeedRecord(record.key, record.value, record.partition, partitions);
  if (!event) return std::unexpected(event.error());
  return fmt::format("{:<10} owner {}{}  at {}", ToString(event->type), event->owner.value,
                     WhatText(*event), operations::IsoTime(event->at_ms));
}

}  // namespace fanfold
