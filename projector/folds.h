// The fold of each projection: here a new one is entered.
#pragma once

#include <memory>

#include "common/feed/inbox.h"
#include "common/ports/projection.h"
#include "common/relation/edge.h"
#include "projector/runtime/fold.h"

namespace fanfold::projector {

// `limit` is for who decides; who only loads or applies never asks for it.
// `inboxes`: for the task of feed state.
[[nodiscard]] std::unique_ptr<const Fold> NewFold(Projection projection, FollowLimit limit,
                                                  const InboxLimits& inboxes = {});

}  // namespace fanfold::projector
