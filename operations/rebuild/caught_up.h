// How much of what a generation lacked when its wait began has been folded.
#pragma once

#include <cstdint>
#include <optional>

#include "operations/base/context.h"

namespace fanfold::operations {

// One thread at a time. The context outlives it.
class CaughtUp {
 public:
  explicit CaughtUp(Context& context) : progress_(context) {}

  // Shows how many events are lacking now.
  void Show(std::int64_t lacking) {
    if (!first_) first_ = lacking;
    if (!progress_.Due()) return;
    progress_.Show({.done = *first_ - lacking,
                    .total = *first_,
                    .items = *first_ - lacking,
                    .items_name = "events caught up",
                    .elapsed_ms = progress_.elapsed_ms()});
  }

 private:
  Stretch progress_;
  std::optional<std::int64_t> first_;
};

}  // namespace fanfold::operations
