// How the record of an outcome begins, whatever its stream.
#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <string>
#include <string_view>

#include "common/stream/position.h"

namespace fanfold {

// {"v":1,"position":"…","event_id":"…","outcome":"…" with no end; of an event without an id none.
inline void AppendOutcomeHead(std::string& out, const Position& position, std::string_view event_id,
                              std::string_view kind) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, FMT_COMPILE(R"({{"v":1,"position":"{}:{}",)"), position.partition.value,
                 position.offset.value);
  if (!event_id.empty()) fmt::format_to(to, FMT_COMPILE(R"("event_id":"{}",)"), event_id);
  fmt::format_to(to, FMT_COMPILE(R"("outcome":"{}")"), kind);
}

}  // namespace fanfold
