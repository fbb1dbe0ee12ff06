#include "common/stream/outcome_head.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>

namespace fanfold {

void AppendOutcomeHead(std::string& out, const Position& position, std::string_view event_id,
                       std::string_view kind) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, FMT_COMPILE(R"({{"v":1,"position":"{}:{}",)"), position.partition.value,
                 position.offset.value);
  if (!event_id.empty()) fmt::format_to(to, FMT_COMPILE(R"("event_id":"{}",)"), event_id);
  fmt::format_to(to, FMT_COMPILE(R"("outcome":"{}")"), kind);
}

}  // namespace fanfold
