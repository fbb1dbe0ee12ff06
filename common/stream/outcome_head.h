// How the record of an outcome begins, whatever its stream.
#pragma once

#include <string>
#include <string_view>

#include "common/stream/position.h"

namespace fanfold {

// {"v":1,"position":"…","event_id":"…","outcome":"…" with no end; of an event without an id none.
void AppendOutcomeHead(std::string& out, const Position& position, std::string_view event_id,
                       std::string_view kind);

}  // namespace fanfold
