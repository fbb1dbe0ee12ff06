// Why an import comes no further: told at once, and again when that changes.
#pragma once

#include <cstdint>
#include <string>

#include "common/ports/event_log.h"
#include "operations/base/context.h"

namespace fanfold::operations {

class Standstill {
 public:
  // Without an ack for so long the log is asked, and again and again.
  static constexpr std::int64_t kSilenceMs = 1'000;
  static constexpr std::int64_t kPingMs = 500;

  // Both outlive it.
  Standstill(const Context& context, EventLog& log)
      : context_(context), log_(log), moved_ms_(context.clock.SteadyMs()) {}

  // Asks the log where nothing was acked for a while, though something is to be; blocks for at most
  // kPingMs. Notes why when it is another reason than before.
  void Look(std::int64_t acked, bool is_waiting);
  // Why the log takes nothing; empty while it does, or does not know.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  const Context& context_;
  EventLog& log_;
  std::int64_t acked_ = 0;
  std::int64_t moved_ms_;  // when something was acked, or the log was asked
  std::string why_;
};

}  // namespace fanfold::operations
