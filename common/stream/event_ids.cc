#include "common/stream/event_ids.h"

#include <fmt/compile.h>
#include <fmt/format.h>

namespace fanfold {

EventIds::EventIds(std::uint64_t process_bits) : prefix_(fmt::format("{:016x}", process_bits)) {}

std::string EventIds::Next() {
  const std::uint64_t number = counter_.fetch_add(1, std::memory_order_relaxed);
  return fmt::format(FMT_COMPILE("{}{:016x}"), prefix_, number);
}

}  // namespace fanfold
