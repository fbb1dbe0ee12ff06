// A question to rows that are no lists of users, which the tables alone answer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "common/stream/ids.h"

namespace fanfold::reader {

// Immutable.
class TableQuestion {
 public:
  virtual ~TableQuestion() = default;

  // Whose rows of which projection it is about; they are on his shard, by the lane of his
  // partition.
  [[nodiscard]] virtual Projection projection() const = 0;
  [[nodiscard]] virtual UserId user() const = 0;
  // The answer as JSON, of that shard's tables; nothing: there is no such row. Blocks as the reader
  // does. Errors: the reader's.
  [[nodiscard]] virtual Result<std::optional<std::string>> Ask(ProjectionReader& reader,
                                                               Generation generation,
                                                               Partition partition) const = 0;
};
using QuestionPtr = std::shared_ptr<const TableQuestion>;

}  // namespace fanfold::reader
