// The body of POST /v1/events. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>
#include <vector>

#include "writer/command.h"

namespace fanfold::writer {

inline constexpr std::size_t kBatchBytesMax = std::size_t{1} << 20;

// {"events":[{"type","subject","object"[,"at","event_id","if_version","replay_of"]},…]}: one
// command or refusal per event, in order; a wrong event does not spoil the others. Unknown fields
// are refused: a mistyped "at" would be lost. Errors: kInvalidArgument (not JSON, not of this
// shape, no event; says where), kBatchTooLarge.
[[nodiscard]] std::expected<std::vector<ParsedCommand>, Refusal> ParseBatch(std::string_view body);

}  // namespace fanfold::writer
