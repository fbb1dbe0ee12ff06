#include "reader/changes/event_stream.h"

#include <fmt/format.h>
#include <iterator>

namespace fanfold::reader {
namespace {

constexpr std::int64_t kRetryMs = 1'000;

}  // namespace

std::string IdOf(const ChangePlace& place) {
  return place.partitions() <= kPartitionsWithIdsMax ? EncodeChangePlace(place) : std::string();
}

void AppendChange(std::string& out, const Change& change, std::string_view id) {
  if (!id.empty()) fmt::format_to(std::back_inserter(out), "id: {}\n", id);
  fmt::format_to(std::back_inserter(out), "event: {}\ndata: {}\n\n", change.type.name(),
                 change.Json());
}

void AppendCheckpoint(std::string& out, const ChangePlace& place) {
  fmt::format_to(std::back_inserter(out), "id: {}\n\n", EncodeChangePlace(place));
}

void AppendGreeting(std::string& out, const ChangePlace& place) {
  fmt::format_to(std::back_inserter(out), "retry: {}\n", kRetryMs);
  AppendCheckpoint(out, place);
}

void AppendLogChanged(std::string& out, std::int32_t partitions) {
  fmt::format_to(std::back_inserter(out),
                 "id: {}\nevent: log_changed\ndata: {{\"from\":\"earliest\"}}\n\n",
                 EncodeChangePlace(ChangePlace(partitions)));
}

void AppendWhy(std::string& out, std::string_view why) {
  fmt::format_to(std::back_inserter(out), ": {}\n\n", why);
}

}  // namespace fanfold::reader
