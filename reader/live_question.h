// A question to a tenant's memory, else to its tables, that needs lists of users too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/ports/deployment.h"
#include "common/ports/projection.h"
#include "reader/cache/list_fetcher.h"
#include "reader/cache/reader_position.h"
#include "reader/expansion.h"
#include "reader/freshness/lanes_read.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

struct ListsOfUser {
  UserId user;
  ListsNeeded lists;
};

struct LiveAnswer {
  std::string json;
  bool as_tables_are = false;  // the tenant's rows in it are not at the reader's position
};

// Immutable.
class LiveQuestion {
 public:
  virtual ~LiveQuestion() = default;

  [[nodiscard]] virtual ListsOfUser lists() const = 0;
  // The projection whose rows, of all shards, it is about, and the reader's position in its stream.
  [[nodiscard]] virtual Projection projection() const = 0;
  [[nodiscard]] virtual const ReaderPosition& position() const = 0;
  // Lanes whose rows it asks the tables for besides, wherever the reader stands.
  [[nodiscard]] virtual std::vector<LanesRead> tables(const Placement& /*placement*/) const {
    return {};
  }
  // `expand` may be null. Blocks as the reader does. Errors: those of `lists`, of ProjectionReader
  // and of `expand`; kUnavailable, memory alone does not do.
  [[nodiscard]] virtual Result<LiveAnswer> Ask(ShardedLists& lists, const Deployment& deployment,
                                               const ExpandFrom& from,
                                               const Expand& expand) const = 0;
};
using LiveQuestionPtr = std::shared_ptr<const LiveQuestion>;

}  // namespace fanfold::reader
