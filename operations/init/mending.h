// Topics and tables beside what is declared of them, and what `fanfold init` makes good.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/stream/ids.h"
#include "operations/base/context.h"
#include "operations/doctor/check.h"

namespace fanfold::operations {

// An index that a table lacks, and the statement that makes it.
struct MissingIndex {
  Shard shard;
  TableIndex index;
  std::string statement;
};

// A line each.
struct IndexesMade {
  std::vector<std::string> made;
  std::vector<std::string> refused;  // and why
};

struct Mending {
  IndexesMade indexes;
  std::vector<Check> checks;  // what is not as it is declared, and nobody but you can mend
};

// The missing indexes of the generations that are read. Asks the shards that answer and say that
// they are the deployment's.
[[nodiscard]] std::vector<MissingIndex> FindMissingIndexes(Context& context);

// Asks again for a table that somebody holds, some minutes long. Blocks for as long as indexes
// take; an interrupt leaves those that are not begun.
[[nodiscard]] IndexesMade MakeIndexes(Context& context, std::span<const MissingIndex> missing);

// Makes the indexes that tables lack. Tables that are gone and settings of topics are named:
// neither comes back without a choice. Blocks as MakeIndexes.
[[nodiscard]] Mending MendWhatIsDeclared(Context& context);

}  // namespace fanfold::operations
