#include "projector/relations/relation_fold.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "projector/relations/relation_batch.h"
#include "projector/relations/row_loader.h"

namespace fanfold::projector {
namespace {

class OpenRelations final : public OpenFold {
 public:
  OpenRelations(std::unique_ptr<EdgeStore> store, std::unique_ptr<ErasureStore> erasures,
                const Clock& clock, Direction list, FollowLimit limit, const WorkPlace& place)
      : store_(std::move(store)),
        accounts_(std::move(erasures), clock),
        rows_(*store_, RowMemory::kEntriesMax / static_cast<std::size_t>(place.placement.shards())),
        list_(list),
        limit_(limit),
        place_(place) {}

  std::unique_ptr<FoldBatch> NewBatch() override {
    return std::make_unique<RelationBatch>(rows_, accounts_, list_, limit_, place_);
  }
  void Forget() override {
    rows_.Forget();
    accounts_.Forget();
  }
  std::size_t deleted_accounts() const noexcept override { return accounts_.size(); }

 private:
  std::unique_ptr<EdgeStore> store_;
  EndedAccounts accounts_;
  RowLoader rows_;
  Direction list_;
  FollowLimit limit_;
  WorkPlace place_;
};

class EdgeParts final : public RowParts {
 public:
  // `all` outlives it, `own` are its own; one of them is empty.
  EdgeParts(std::span<const EdgeRow> all, std::vector<EdgeRow> own)
      : own_(std::move(own)), rest_(own_.empty() ? all : std::span<const EdgeRow>(own_)) {}

  const RowWrites& Next(bool newest) override {
    const auto part = rest_.first(std::min(rest_.size(), EdgeStore::kEdgesMax));
    writes_.edges.assign(part.begin(), part.end());
    writes_.edges_are_newest = newest;
    rest_ = rest_.subspan(part.size());
    return writes_;
  }
  bool AtEnd() const noexcept override { return rest_.empty(); }

 private:
  const std::vector<EdgeRow> own_;
  std::span<const EdgeRow> rest_;
  EdgeWrites writes_;
};

// The edges that outcomes leave.
class RelationLoad final : public FoldLoad {
 public:
  RelationLoad(Direction list, const Placement& placement) : list_(list), placement_(placement) {}

  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    read_.clear();
    return ReadOutcomesOf(records, read_);
  }
  void Keep(std::span<const std::size_t> places) override {
    for (const std::size_t place : places) {
      const Outcome& outcome = *read_[place];
      const EdgeChange change = Apply(Edge(), outcome);
      if (change.changed) {
        rows_.push_back({KeyOf(list_, outcome.subject, outcome.object), change.edge});
      }
    }
  }
  std::size_t bytes() const noexcept override { return rows_.size() * sizeof(EdgeRow); }
  void Seal() override {
    std::ranges::sort(
        rows_, {}, [](const EdgeRow& row) { return std::tuple(row.key, -row.edge.version.value); });
    const auto older = std::ranges::unique(rows_, {}, &EdgeRow::key);
    rows_.erase(older.begin(), older.end());
  }
  std::unique_ptr<RowParts> PartsOf(Shard shard) const override {
    if (placement_.shards() == 1) {
      return std::make_unique<EdgeParts>(rows_, std::vector<EdgeRow>());
    }
    std::vector<EdgeRow> own;
    std::ranges::copy_if(rows_, std::back_inserter(own), [&](const EdgeRow& row) {
      return placement_.ShardOf(row.key.user) == shard;
    });
    return std::make_unique<EdgeParts>(std::span<const EdgeRow>(), std::move(own));
  }
  void Clear() override { rows_.clear(); }

 private:
  Direction list_;
  Placement placement_;
  ReadOutcomes read_;
  std::vector<EdgeRow> rows_;
};

}  // namespace

std::unique_ptr<FoldLoad> RelationFold::NewLoad(const Placement& placement) const {
  return std::make_unique<RelationLoad>(ListsOf(projection_), placement);
}

std::unique_ptr<OpenFold> RelationFold::Open(LaneStore& store, const WorkPlace& place,
                                             const Clock& clock) const {
  return std::make_unique<OpenRelations>(OpenEdges(store, projection_, place.generation),
                                         OpenErasures(store), clock, ListsOf(projection_), limit_,
                                         place);
}

}  // namespace fanfold::projector
