// An audit's findings, as text and as JSON. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "projector/audit/verifier.h"

namespace fanfold {

// An array of {"kind","projection","user_id","other_id","shard","detail"}; ids are null where there
// is none.
[[nodiscard]] std::string ItemsJson(std::span<const projector::Difference> differences);
// "wrong_count fans user 7 on shard 0: count 3, 2 active rows"
[[nodiscard]] std::string ToText(const projector::Difference& difference);
// The line about inboxes that were left out.
[[nodiscard]] std::string SkippedText(std::size_t inboxes);

}  // namespace fanfold
