#include "operations/log/standstill.h"

#include <fmt/format.h>
#include <utility>

namespace fanfold::operations {

void Standstill::Look(std::int64_t acked, bool is_waiting) {
  const std::int64_t now_ms = context_.clock.SteadyMs();
  if (acked != acked_ || !is_waiting) {
    acked_ = acked;
    moved_ms_ = now_ms;
    why_.clear();
    return;
  }
  if (now_ms - moved_ms_ < kSilenceMs) return;
  const Status reached = log_.Ping(kPingMs);
  moved_ms_ = context_.clock.SteadyMs();
  std::string why = reached ? std::string() : reached.error().message;
  if (why == why_) return;
  why_ = std::move(why);
  if (!why_.empty()) {
    context_.sink.Note(fmt::format("nothing is appended at the moment: {}", why_));
  }
}

}  // namespace fanfold::operations
