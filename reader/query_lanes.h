// Which lanes' rows a query reads. Pure.
#pragma once

#include <vector>

#include "common/relation/slot.h"
#include "reader/freshness/lanes_read.h"
#include "reader/queries.h"

namespace fanfold::reader {

// Sorted, unique. A user's following is written by his own partition alone, his fans by all.
[[nodiscard]] std::vector<LanesRead> LanesOf(const ReadQuery& query, const Placement& placement);

}  // namespace fanfold::reader
