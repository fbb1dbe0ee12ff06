// A projection's rows in this database: enter a new kind in row_tables.cc.
#pragma once

#include <memory>
#include <string_view>

#include "common/mysql/bundle.h"
#include "common/mysql/connection.h"
#include "common/ports/lane_store.h"
#include "common/ports/projection_reader.h"
#include "common/ports/row_image.h"
#include "common/sql/repair_plan.h"

namespace fanfold::mysql {

// The tables of one projection, on one connection. Calls throw Failure.
class RowTables {
 public:
  virtual ~RowTables() = default;

  // A generation's tables, without what a load is faster without. May be run again, as may what
  // follows.
  virtual void Make(Generation generation) = 0;
  // All is loaded: makes the rest.
  virtual void FinishLoading(Generation generation) = 0;

  // The connection outlives it.
  [[nodiscard]] virtual std::unique_ptr<RowStore> Open(Generation generation) = 0;
  // As ProjectionReader::OpenRows.
  [[nodiscard]] virtual std::unique_ptr<RowReader> OpenReader() { return nullptr; }

  // The user's column, the first of each table's primary key.
  [[nodiscard]] virtual std::string_view user_column() const { return "user_id"; }
  // Rows by key behind `after`, of users up to `last`, at most `limit`.
  [[nodiscard]] virtual std::vector<RowImage> Images(Generation generation, const RowKey& after,
                                                     UserId last, std::size_t limit) = 0;
  // In the order of `keys`, sorted and unique; of rows that are not there what says nothing.
  [[nodiscard]] virtual std::vector<RowState> StatesOf(Generation generation,
                                                       std::span<const RowKey> keys) = 0;
  // Writes what a repair has planned.
  virtual void Mend(Generation generation, const RepairPlan& plan) = 0;

  // Writes a batch's rows, in its transaction behind its first statement.
  virtual void Write(const RowWrites& writes, Generation generation, Bundle& bundle) = 0;
  // Writes rows that many batches write, last, so that they are locked briefly.
  virtual void WriteShared(const RowWrites& writes, Generation generation, Bundle& bundle) = 0;
};

// Whether the index of a list's pages (kPageIndex) is there. Throws Failure.
[[nodiscard]] bool HasPageIndex(Connection& connection, std::string_view table);

// `connection` outlives it.
[[nodiscard]] std::unique_ptr<RowTables> NewRowTables(Projection projection,
                                                      Connection& connection);

}  // namespace fanfold::mysql
