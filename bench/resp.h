// Redis' protocol (RESP2), as much of it as redis_load speaks. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fanfold::bench {

// The command as an array of its words.
void AppendCommand(std::string& out, std::span<const std::string_view> words);

struct RedisReply {
  std::size_t bytes = 0;  // of the buffer
  bool is_error = false;
  std::vector<std::string_view> items;  // into the buffer; one for what is no array
};

// The reply that the buffer begins with; nothing while it is not there whole. Arrays of arrays are
// not understood: an error.
[[nodiscard]] std::optional<RedisReply> ParseReply(std::string_view buffer);

}  // namespace fanfold::bench
