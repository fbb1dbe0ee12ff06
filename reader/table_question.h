// A question to rows that are no lists of users, which the tables alone answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/deployment.h"
#include "reader/expansion.h"
#include "reader/freshness/lanes_read.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

// Immutable.
class TableQuestion {
 public:
  virtual ~TableQuestion() = default;

  // The lanes whose rows it reads.
  [[nodiscard]] virtual std::vector<LanesRead> lanes(const Placement& placement) const = 0;
  // The answer as JSON; nothing: there is no such row. `expand` may be null. Blocks as the reader
  // does. Errors: the reader's, and those of `expand`.
  [[nodiscard]] virtual Result<std::optional<std::string>> Ask(ShardedReader& tables,
                                                               const Deployment& deployment,
                                                               const Expand& expand) const = 0;
};
using QuestionPtr = std::shared_ptr<const TableQuestion>;

}  // namespace fanfold::reader
