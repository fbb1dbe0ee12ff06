#include "common/stream/event_id.h"

#include <algorithm>

namespace fanfold {

bool IsEventId(std::string_view text) noexcept {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= 0x21 && c <= 0x7e && c != '"' && c != '\\'; });
  return plain && !text.empty() && text.size() <= kEventIdBytesMax;
}

}  // namespace fanfold
