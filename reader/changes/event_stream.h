// Changes as text/event-stream, as the HTML standard has it (9.2, server-sent events).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reader/changes/change.h"
#include "reader/changes/change_place.h"

namespace fanfold::reader {

// Above so many partitions an event says no id: a client that comes back then begins at the last
// checkpoint, and knows by their positions what it has had.
inline constexpr std::int32_t kPartitionsWithIdsMax = 64;

// The id of an event that leads there; empty above kPartitionsWithIdsMax.
[[nodiscard]] std::string IdOf(const ChangePlace& place);
// An event; no id where it is empty.
void AppendChange(std::string& out, const Change& change, std::string_view id);
// An id alone: whoever comes back begins there, and nothing is told now.
void AppendCheckpoint(std::string& out, const ChangePlace& place);
// The first that is written: how soon a client that was cut comes back, and where it begins then.
void AppendGreeting(std::string& out, const ChangePlace& place);
// The log is another: whoever comes back reads it from the first event on.
void AppendLogChanged(std::string& out, std::int32_t partitions);
// Why there is no more.
void AppendWhy(std::string& out, std::string_view why);

}  // namespace fanfold::reader
