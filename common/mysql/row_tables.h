// What a projection's rows are to this database.
#pragma once

#include <memory>

#include "common/mysql/connection.h"
#include "common/ports/lane_store.h"

namespace fanfold::mysql {

// The tables of one projection, on one connection. Calls throw Failure.
class RowTables {
 public:
  virtual ~RowTables() = default;

  // The connection outlives it.
  [[nodiscard]] virtual std::unique_ptr<RowStore> Open(Generation generation) = 0;

  // What a batch writes, in its transaction behind its first statement.
  virtual void Write(const RowWrites& writes, Generation generation, Bundle& bundle) = 0;
  // What many batches write, last, so that its rows are locked briefly.
  virtual void WriteShared(const RowWrites& writes, Generation generation, Bundle& bundle) = 0;
};

// Of each projection: here a new kind of rows is entered. `connection` outlives it.
[[nodiscard]] std::unique_ptr<RowTables> NewRowTables(Projection projection,
                                                      Connection& connection);

}  // namespace fanfold::mysql
