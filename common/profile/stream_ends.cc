#include "common/profile/stream_ends.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "common/stream/slot.h"

namespace fanfold {
namespace {

constexpr std::int64_t kTextVersion = 1;

}  // namespace

void AppendStreamEnds(std::string& out, const StreamEnds& ends) {
  out += '{';
  const char* between = "";
  for (const Stream stream : Stream::All()) {
    if (ends[stream].empty()) continue;
    fmt::format_to(std::back_inserter(out), R"({}"{}":)", std::exchange(between, ","),
                   stream.name());
    char mark = '[';
    for (const Offset end : ends[stream]) {
      fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}{}"), std::exchange(mark, ','),
                     end.value);
    }
    out += ']';
  }
  out += '}';
}

StreamEnds ReadStreamEnds(RecordFields& fields) {
  StreamEnds ends;
  if (fields.Has("ends")) fields.NeedObject("ends");
  for (const Stream stream : Stream::All()) {
    for (const std::int64_t end :
         fields.Numbers(fmt::format("ends/{}", stream.name()), kPartitionsMax)) {
      ends[stream].emplace_back(end);
    }
  }
  return ends;
}

std::string EncodeStreamEnds(const StreamEnds& ends) {
  std::string out = fmt::format(R"({{"v":{},"ends":)", kTextVersion);
  AppendStreamEnds(out, ends);
  out += '}';
  return out;
}

std::optional<StreamEnds> DecodeStreamEnds(std::string_view text) {
  auto fields = RecordFields::Parse(text, kTextVersion);
  if (!fields) return std::nullopt;
  StreamEnds ends = ReadStreamEnds(*fields);
  if (!fields->ok()) return std::nullopt;
  return ends;
}

}  // namespace fanfold
