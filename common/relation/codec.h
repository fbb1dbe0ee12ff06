// Events and outcomes as JSON, as schemas/events describes them. Writes canonical text: fixed order
// of fields, no spaces. Reads any JSON: canonical text takes a short path (canonical_form.h),
// everything else the general one (json_form.h); tests hold both equal. Unknown fields are ignored.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "common/relation/event.h"
#include "common/stream/slot.h"

namespace fanfold {

inline constexpr std::int64_t kCodecVersion = 1;

void AppendEvent(std::string& out, const Event& event);
void AppendOutcome(std::string& out, const Outcome& outcome);
[[nodiscard]] std::string EncodeEvent(const Event& event);
[[nodiscard]] std::string EncodeOutcome(const Outcome& outcome);

// The value of a record of the event topic.
[[nodiscard]] std::expected<Event, Unreadable> DecodeEvent(std::string_view value);

// The value of a record of the outcome topic.
[[nodiscard]] std::expected<Outcome, Unreadable> DecodeOutcome(std::string_view value);

// A record as it stands in the event topic: decoded, its key compared with its subject and its
// partition with its subject's slot. `key` and `value` are null where the record has none.
[[nodiscard]] std::expected<Event, Unreadable> ReadEventRecord(
    std::optional<std::string_view> key, std::optional<std::string_view> value, Partition partition,
    std::int32_t partitions);

// A record as it stands in the outcome topic, its position in the record's own partition.
[[nodiscard]] std::expected<Outcome, Unreadable> ReadOutcomeRecord(
    std::optional<std::string_view> value, Partition partition);

}  // namespace fanfold
