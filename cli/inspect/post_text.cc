#include "cli/inspect/post_text.h"

#include <fmt/format.h>

#include "operations/base/text.h"

namespace fanfold {
namespace {

constexpr std::size_t kContentShownMax = 80;

std::string ContentText(const std::string& content) {
  const bool whole = content.size() <= kContentShownMax;
  return fmt::format("\"{}\"{}", operations::Escaped(content.substr(0, kContentShownMax)),
                     whole ? "" : fmt::format("… ({} bytes)", content.size()));
}

}  // namespace

std::expected<std::string, Unreadable> PostEventText(const LogRecord& record,
                                                     std::int32_t partitions) {
  const auto event = ReadPostRecord(record.key, record.value, record.partition, partitions);
  if (!event) return std::unexpected(event.error());
  std::string text =
      fmt::format("{:<12} author {} post {}  at {}", ToString(event->type), event->author.value,
                  event->post_id.value, operations::IsoTime(event->at_ms));
  if (event->type == PostEventType::kDeletePost) return text;
  return text + fmt::format("  type {}  {}", event->post_type, ContentText(event->content));
}

std::expected<std::string, Unreadable> PostOutcomeText(const LogRecord& record,
                                                       std::int32_t /*partitions*/) {
  const auto outcome = ReadPostOutcomeRecord(record.value, record.partition, !kWholeOutcome);
  if (!outcome) return std::unexpected(outcome.error());
  std::string text = fmt::format("{:<12}", ToString(outcome->kind));
  if (outcome->parked) {
    text += fmt::format(" ({})", ToString(*outcome->parked));
  } else {
    text += fmt::format(" author {} post {}  score {}", outcome->author.value,
                        outcome->post_id.value, outcome->score);
  }
  return text + "  event " + ToString(outcome->position);
}

}  // namespace fanfold
