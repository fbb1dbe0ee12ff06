// The generations of a deployment, over all shards.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/ports/generation_operations.h"
#include "operations/audit/audited_tables.h"
#include "operations/base/context.h"
#include "operations/lanes/lanes.h"

namespace fanfold::operations {

// One generation as the shards have it together.
struct KnownGeneration {
  Projection projection;
  Generation generation{1};
  GenerationState state = GenerationState::kFolding;  // loading until it is loaded on every shard
  bool is_read = false;                               // by the catalog
  bool to_decide = false;                             // is to decide, on every shard
  bool to_decide_somewhere = false;                   // on some shard at least
  std::optional<std::int64_t> until_ms;               // of a side generation
  SlotMapId slot_map = kFirstSlotMap;

  // Is it still to be made, or to be made whole? One that is read is, where a restored shard lacks
  // it.
  [[nodiscard]] bool IsInTheMaking() const noexcept {
    return !is_read || state == GenerationState::kLoading;
  }
};

// Thread-compatible. Blocks as the ports do.
class Generations {
 public:
  [[nodiscard]] static Result<Generations> Open(Context& context);

  [[nodiscard]] const AuditedTables& tables() const noexcept { return tables_; }

  // By projection and generation. Reads the catalog anew.
  [[nodiscard]] Result<std::vector<KnownGeneration>> List();
  // From now on nobody else makes, loads, promotes or drops generations of this projection. Errors:
  // kRefused, somebody does.
  [[nodiscard]] Status Hold(Projection projection) {
    return OnEachShard(
        [&](Shard, GenerationOperations& operations) { return operations.Hold(projection); });
  }
  // The shards on which it is loading.
  [[nodiscard]] Result<std::vector<Shard>> ShardsLoading(Projection projection,
                                                         Generation generation);
  // The lanes of all generations of a projection, of every shard.
  [[nodiscard]] Result<std::vector<ShardLane>> LanesOf(Projection projection);
  // The lanes of one of them, of every shard.
  [[nodiscard]] Result<std::vector<ShardLane>> LanesOf(Projection projection,
                                                       Generation generation);

  // Does the work on each shard, up to the first failure, which names its shard.
  [[nodiscard]] Status OnEachShard(const std::function<Status(Shard, GenerationOperations&)>& work);
  // Does the work on shard 0, which keeps what is there once.
  [[nodiscard]] Status OnFirstShard(const std::function<Status(GenerationOperations&)>& work) {
    return OnEachShard([&](Shard shard, GenerationOperations& operations) {
      return shard == Shard(0) ? work(operations) : Status();
    });
  }
  // Where the generations of that map are. Errors: ReadPlacement's.
  [[nodiscard]] Result<Placement> PlacementOf(SlotMapId map);

 private:
  Generations(Context& context, AuditedTables tables, ShardReaders readers)
      : context_(&context), tables_(std::move(tables)), readers_(std::move(readers)) {}

  Context* context_;
  AuditedTables tables_;
  ShardReaders readers_;
  std::vector<std::unique_ptr<GenerationOperations>> shards_;
};

}  // namespace fanfold::operations
