#include "bench/resp.h"

#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>

namespace fanfold::bench {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

// Takes from the front of `rest`; nothing when the line is not there whole.
std::optional<std::string_view> TakeLine(std::string_view& rest) {
  const std::size_t end = rest.find(kLineEnd);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + kLineEnd.size());
  return line;
}

std::int64_t NumberOf(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// An integer, a text or a bulk string; nothing when it is not there whole.
std::optional<std::string_view> TakeItem(std::string_view& rest, bool& is_error) {
  const std::optional<std::string_view> line = TakeLine(rest);
  if (!line || line->empty()) return std::nullopt;
  const std::string_view text = line->substr(1);
  if (line->front() == ':' || line->front() == '+') return text;
  is_error = line->front() != '$';
  const std::int64_t size = NumberOf(text);
  if (is_error || size < 0) return text;
  const auto bytes = static_cast<std::size_t>(size);
  if (rest.size() < bytes + kLineEnd.size()) return std::nullopt;
  const std::string_view bulk = rest.substr(0, bytes);
  rest.remove_prefix(bytes + kLineEnd.size());
  return bulk;
}

}  // namespace

void AppendCommand(std::string& out, std::span<const std::string_view> words) {
  fmt::format_to(std::back_inserter(out), "*{}\r\n", words.size());
  for (const std::string_view word : words) {
    fmt::format_to(std::back_inserter(out), "${}\r\n{}\r\n", word.size(), word);
  }
}

std::optional<RedisReply> ParseReply(std::string_view buffer) {
  RedisReply reply;
  std::string_view rest = buffer;
  std::int64_t items = 1;
  if (buffer.starts_with('*')) {
    const std::optional<std::string_view> line = TakeLine(rest);
    if (!line) return std::nullopt;
    items = NumberOf(line->substr(1));
  }
  for (std::int64_t i = 0; i < items && !reply.is_error; ++i) {
    const std::optional<std::string_view> item = TakeItem(rest, reply.is_error);
    if (!item) return std::nullopt;
    reply.items.push_back(*item);
  }
  reply.bytes = buffer.size() - rest.size();
  return reply;
}

}  // namespace fanfold::bench
