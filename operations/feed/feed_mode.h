// How feeds are made: pulled, or with inboxes (ADR 0032).
#pragma once

#include <cstdint>

#include "common/base/result.h"
#include "operations/base/context.h"

namespace fanfold::operations {

struct FeedMode {
  bool is_hybrid = false;
  bool has_changed = false;
  bool was_ever_hybrid = false;
  friend bool operator==(const FeedMode&, const FeedMode&) = default;
};

// Errors of both: the ports'.
[[nodiscard]] Result<FeedMode> ReadFeedMode(Context& context);
// Hybrid: inboxes are kept from where the posts stand now, each from when its owner looks next.
// Pull: what is left of them is taken away; reads do not look at them from then on. May be
// repeated, also after it was cut short.
[[nodiscard]] Result<FeedMode> SetFeedMode(Context& context, bool to_hybrid);

}  // namespace fanfold::operations
