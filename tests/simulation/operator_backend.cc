#include "tests/simulation/operator_backend.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/simulation/faulty_store.h"

namespace fanfold::simulation {
namespace {

// Tells the oracle what has been made and dropped. What is asked again and again while a command
// waits does not fail, or no command came to its end.
class FaultyGenerations final : public GenerationOperations {
 public:
  FaultyGenerations(Ground& ground, Life& life, Shard shard)
      : ground_(ground),
        life_(life),
        shard_(shard),
        generations_(ground.adapters->NewGenerations(shard)) {}

  Result<std::vector<GenerationRow>> List() override { return generations_->List(); }
  Status Hold(Projection projection) override {
    return Ask([&] { return generations_->Hold(projection); });
  }
  Status Create(Projection projection, Generation generation, SlotMapId slot_map,
                std::span<const Partition> partitions,
                std::optional<std::int64_t> until_ms) override {
    return Ask([&] {
      return generations_->Create(projection, generation, slot_map, partitions, until_ms);
    });
  }
  Status ShowLoad(Projection projection, Generation generation, LoadProgress load) override {
    return generations_->ShowLoad(projection, generation, load);
  }
  Status FinishLoading(Projection projection, Generation generation) override {
    return Ask([&] {
      Status finished = generations_->FinishLoading(projection, generation);
      if (finished) ground_.oracle.Loaded(shard_, {projection, generation});
      return finished;
    });
  }
  Status OrderToDecide(Projection projection, Generation generation) override {
    return Ask([&] { return generations_->OrderToDecide(projection, generation); });
  }
  Status Read(Projection projection, Generation generation) override {
    return Ask([&] { return generations_->Read(projection, generation); });
  }
  Status NameLog(const std::string& log) override { return generations_->NameLog(log); }
  Result<std::int64_t> ReadSinceMs() override {
    return Ask([&] { return generations_->ReadSinceMs(); });
  }
  Status Drop(Projection projection, Generation generation) override {
    return Ask([&] {
      Status dropped = generations_->Drop(projection, generation);
      if (!dropped) return dropped;
      ground_.oracle.Dropped(shard_, {projection, generation});
      if (ground_.Read()[projection] == generation) {
        ground_.oracle.Complain("what is read is dropped: " + NameOf(projection, generation));
      }
      return dropped;
    });
  }

 private:
  template <class Call>
  auto Ask(const Call& call) -> decltype(call()) {
    life_.Enter(PortCall::kOperate);
    if (ground_.nemesis.Strikes(Fault::kStoreUnavailable)) {
      return Fail(ErrorCode::kUnavailable, "the tables are away");
    }
    auto answer = call();
    life_.Leave(PortCall::kOperate);
    return answer;
  }

  Ground& ground_;
  Life& life_;
  const Shard shard_;
  const std::unique_ptr<GenerationOperations> generations_;
};

// Moves the lanes first; then the rows, if they come to it.
class RowsLater final : public PassingStore {
 public:
  RowsLater(std::unique_ptr<LaneStore> store, Nemesis& nemesis)
      : PassingStore(std::move(store)), nemesis_(nemesis) {}

  Status Commit(const LaneBatch& batch) override {
    LaneBatch lanes = batch;
    lanes.rows = nullptr;
    if (Status moved = store_->Commit(lanes); !moved) return moved;
    if (nemesis_.Strikes(Fault::kStoreUnavailable)) {
      return Fail(ErrorCode::kUnavailable, "the tables are away");
    }
    LaneBatch rows = batch;
    for (LaneMove& move : rows.moves) move.from_next_offset = move.to.next_offset;
    return store_->Commit(rows);
  }

 private:
  Nemesis& nemesis_;
};

}  // namespace

void OperatorBackend::BetweenMoments() {
  life_.Enter(PortCall::kQuery);
  life_.Leave(PortCall::kQuery);
}

// Who reads from the log waits by the wall's clock where it fails: it does not.
Result<std::shared_ptr<EventLog>> OperatorBackend::OpenLog() {
  return std::shared_ptr<EventLog>(std::shared_ptr<void>(), &ground_.adapters->log());
}

Result<std::unique_ptr<ProjectionReader>> OperatorBackend::OpenReader(Shard shard) {
  return ground_.adapters->NewReader(shard);
}

Result<std::unique_ptr<TableOperations>> OperatorBackend::OpenOperations(Shard shard) {
  BetweenMoments();
  auto tables =
      ground_.adapters->NewOperations(shard, ground_.without != Protection::kRepairsFenced);
  return Without(ground_.without, std::move(tables), ground_.adapters->log());
}

// A lane that was rewound is not waited for, which is by the wall's clock, too.
Result<std::unique_ptr<TableSnapshot>> OperatorBackend::OpenSnapshot(Shard shard) {
  BetweenMoments();
  const auto lanes = ground_.adapters->NewReader(shard)->Lanes();
  const bool settled = lanes && std::ranges::none_of(*lanes, IsRewound);
  if (!settled) return Fail(ErrorCode::kUnavailable, "a lane was rewound");
  return ground_.adapters->NewSnapshot(shard, [this](std::vector<LaneStatus>& told) {
    LieAbout(ground_.without, ground_.adapters->log(), told);
  });
}

Result<std::unique_ptr<GenerationOperations>> OperatorBackend::OpenGenerations(Shard shard) {
  return std::make_unique<FaultyGenerations>(ground_, life_, shard);
}

Result<std::unique_ptr<LaneStore>> OperatorBackend::OpenStore(Shard shard) {
  std::unique_ptr<LaneStore> store = ground_.adapters->NewStore(shard);
  if (ground_.without == Protection::kLoadInTransaction) {
    store = std::make_unique<RowsLater>(std::move(store), ground_.nemesis);
  }
  return std::make_unique<FaultyStore>(std::move(store), life_, ground_.nemesis, SIZE_MAX);
}

}  // namespace fanfold::simulation
