// The fields that events and outcomes of posts have in common. Inside common/post only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/post/post_event.h"
#include "common/stream/record_fields.h"

namespace fanfold {

// Each has to be there; what is wrong with it the fields keep.
[[nodiscard]] PostId ReadPostId(RecordFields& fields);
[[nodiscard]] std::int64_t ReadPostType(RecordFields& fields, std::string_view name);
[[nodiscard]] std::string ReadContent(RecordFields& fields);

}  // namespace fanfold
