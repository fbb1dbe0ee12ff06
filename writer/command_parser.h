// Paths and query parameters to commands. Pure.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "writer/command.h"

namespace fanfold::writer {

// A segment of the path that has to be a user. Errors: kInvalidArgument with its name.
[[nodiscard]] std::expected<UserId, Refusal> ParseUser(std::string_view name,
                                                       std::string_view segment);

// How the edge stands in the path, and what is asked of it.
enum class EdgeRequest : std::uint8_t {
  kFollow,     // PUT /v1/users/{subject}/following/{object}
  kUnfollow,   // DELETE of the same
  kRemoveFan,  // DELETE /v1/users/{user}/fans/{fan}: an unfollow of fan → user
};

// `owner` and `other` are the decoded segments, in the path's order.
// Errors: kInvalidArgument naming the segment.
[[nodiscard]] ParsedCommand ParseEdgeCommand(EdgeRequest request, std::string_view owner,
                                             std::string_view other);

inline constexpr std::int64_t kWaitTimeoutMsDefault = 1000;
inline constexpr std::int64_t kWaitTimeoutMsMax = 10'000;

// wait=decided and timeout_ms (1 … kWaitTimeoutMsMax; without wait only its default): how long the
// caller waits for the outcome; nothing when the caller does not wait. Errors: kInvalidArgument.
[[nodiscard]] std::expected<std::optional<std::int64_t>, Refusal> ParseWait(
    std::optional<std::string_view> wait, std::optional<std::string_view> timeout_ms);

}  // namespace fanfold::writer
