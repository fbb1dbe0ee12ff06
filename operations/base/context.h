// The context that every operation is given.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/clock.h"
#include "operations/base/backend.h"
#include "operations/base/interrupt.h"
#include "operations/base/progress.h"

namespace fanfold::operations {

// All of them outlive the operation. One thread at a time.
struct Context {
  Backend& backend;
  const Clock& clock;
  Interrupt& interrupt;
  ProgressSink& sink;
};

// A stretch of work whose progress is shown until the stretch ends.
class Stretch {
 public:
  // The context outlives it.
  explicit Stretch(const Context& context)
      : clock_(context.clock),
        sink_(context.sink),
        started_ms_(clock_.SteadyMs()),
        shown_ms_(started_ms_) {}
  ~Stretch() { Clear(); }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;

  // Is it time to show something? Cheap enough to ask often, not for every line.
  [[nodiscard]] bool Due() const { return clock_.SteadyMs() - shown_ms_ >= sink_.period_ms(); }
  void Show(const ProgressState& state) {
    shown_ms_ = clock_.SteadyMs();
    sink_.Show(state);
  }
  void ShowText(std::string_view text) {
    shown_ms_ = clock_.SteadyMs();
    sink_.ShowText(text);
  }
  void Clear() { sink_.Clear(); }
  [[nodiscard]] std::int64_t elapsed_ms() const { return clock_.SteadyMs() - started_ms_; }

 private:
  const Clock& clock_;
  ProgressSink& sink_;
  const std::int64_t started_ms_;
  std::int64_t shown_ms_;
};

}  // namespace fanfold::operations
