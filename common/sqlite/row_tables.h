// A projection's rows in this database: enter a new kind in row_tables.cc.
#pragma once

#include <memory>

#include "common/ports/lane_store.h"
#include "common/ports/projection_reader.h"
#include "common/ports/row_image.h"
#include "common/sql/repair_plan.h"
#include "common/sqlite/connection.h"
#include "common/sqlite/sqlite_tables.h"

namespace fanfold::sqlite {

// The tables of one projection. Calls that take a connection throw Failure.
class RowTables {
 public:
  virtual ~RowTables() = default;

  // A generation's tables, without what a load is faster without. May be run again, as may what
  // follows.
  virtual void Make(Connection& connection, Generation generation) const = 0;
  // All is loaded: makes the rest.
  virtual void FinishLoading(Connection& connection, Generation generation) const = 0;

  [[nodiscard]] virtual std::unique_ptr<RowStore> Open(std::shared_ptr<SqliteTables> tables,
                                                       Generation generation) const = 0;
  // Rows by key behind `after`, of users up to `last`, at most `limit`.
  [[nodiscard]] virtual std::vector<RowImage> Images(Connection& connection, Generation generation,
                                                     const RowKey& after, UserId last,
                                                     std::size_t limit) const = 0;
  // In the order of `keys`, sorted and unique; of rows that are not there what says nothing.
  [[nodiscard]] virtual std::vector<RowState> StatesOf(Connection& connection,
                                                       Generation generation,
                                                       std::span<const RowKey> keys) const = 0;
  // Writes what a repair has planned.
  virtual void Mend(Connection& connection, Generation generation,
                    const RepairPlan& plan) const = 0;

  // As ProjectionReader::OpenRows.
  [[nodiscard]] virtual std::unique_ptr<RowReader> OpenReader(Connection& /*connection*/) const {
    return nullptr;
  }
  // Writes a batch's rows, in its transaction.
  virtual void Write(Connection& connection, const RowWrites& writes,
                     Generation generation) const = 0;
};

[[nodiscard]] std::unique_ptr<const RowTables> NewRowTables(Projection projection);

}  // namespace fanfold::sqlite
