// Told what changes in the tables beside the log.
#pragma once

#include <utility>
#include <vector>

#include "common/ports/projection_reader.h"
#include "common/stream/slot.h"

namespace fanfold::reader {

// Thread-safe.
class TableWatcher {
 public:
  virtual ~TableWatcher() = default;

  // The generations that are read. Others than before drop everything that is held.
  virtual void SetRead(const ReadGenerations& read) = 0;
  // The shard's rows are others than before. Drops everything held of its users; rows that were
  // read before this are not held.
  virtual void DropShard(Shard shard) = 0;
  // The shard's tables are older ones: what is held of it is dropped, and so is the mark of repairs
  // that they may not have had.
  virtual void Restored(Shard shard) = 0;
  // Somebody mended a row, of whatever projection. Rows read before this repair are not held.
  virtual void Repaired(Shard shard, const RepairRow& repair) = 0;
};

// Several as one.
class TableWatchers final : public TableWatcher {
 public:
  // They outlive this.
  explicit TableWatchers(std::vector<TableWatcher*> all) : all_(std::move(all)) {}

  void SetRead(const ReadGenerations& read) override {
    for (TableWatcher* each : all_) each->SetRead(read);
  }
  void DropShard(Shard shard) override {
    for (TableWatcher* each : all_) each->DropShard(shard);
  }
  void Restored(Shard shard) override {
    for (TableWatcher* each : all_) each->Restored(shard);
  }
  void Repaired(Shard shard, const RepairRow& repair) override {
    for (TableWatcher* each : all_) each->Repaired(shard, repair);
  }

 private:
  const std::vector<TableWatcher*> all_;
};

}  // namespace fanfold::reader
