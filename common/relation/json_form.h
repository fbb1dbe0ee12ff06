// The general path of decoding: any JSON that says what schemas/events describes. Inside
// common/relation only: codec.h is what others use.
#pragma once

#include <expected>
#include <string_view>

#include "common/relation/codec.h"
#include "common/relation/event.h"

namespace fanfold {

[[nodiscard]] std::expected<Event, Unreadable> EventFromJson(std::string_view value);
[[nodiscard]] std::expected<Outcome, Unreadable> OutcomeFromJson(std::string_view value);

}  // namespace fanfold
