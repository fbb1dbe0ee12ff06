// Topics and tables beside what is declared of them, and what `fanfold init` makes good.
#pragma once

#include <string>
#include <vector>

#include "common/stream/ids.h"
#include "operations/base/context.h"
#include "operations/doctor/check.h"

namespace fanfold::operations {

struct Mending {
  std::vector<std::string> mended;  // a line each
  std::vector<Check> checks;        // what is not as it is declared, and nobody but you can mend
};

// An index that a table lacks, and the statement that makes it.
struct MissingIndex {
  Shard shard;
  std::string statement;
};

// What MendWhatIsDeclared would do, on the shards that answer.
[[nodiscard]] std::vector<MissingIndex> WhatCanBeMended(Context& context);

// Makes the indexes that tables lack, of the generations that are read. Tables that are gone and
// settings of topics are named: neither comes back without a choice. Blocks for as long as indexes
// take.
[[nodiscard]] Mending MendWhatIsDeclared(Context& context);

}  // namespace fanfold::operations
