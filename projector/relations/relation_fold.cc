#include "projector/relations/relation_fold.h"

#include "projector/relations/relation_batch.h"
#include "projector/relations/relation_load.h"
#include "projector/relations/row_loader.h"

namespace fanfold::projector {
namespace {

class OpenRelations final : public OpenFold {
 public:
  OpenRelations(std::unique_ptr<EdgeStore> store, Direction list, FollowLimit limit,
                const WorkPlace& place)
      : store_(std::move(store)),
        rows_(*store_, RowMemory::kEntriesMax / static_cast<std::size_t>(place.placement.shards())),
        list_(list),
        limit_(limit),
        place_(place) {}

  std::unique_ptr<FoldBatch> NewBatch() override {
    return std::make_unique<RelationBatch>(rows_, list_, limit_, place_);
  }
  void Forget() override { rows_.Forget(); }

 private:
  std::unique_ptr<EdgeStore> store_;
  RowLoader rows_;
  Direction list_;
  FollowLimit limit_;
  WorkPlace place_;
};

}  // namespace

std::unique_ptr<FoldLoad> RelationFold::NewLoad(const Placement& placement) const {
  return std::make_unique<RelationLoad>(ListsOf(projection_), placement);
}

std::unique_ptr<OpenFold> RelationFold::Open(LaneStore& store, const WorkPlace& place) const {
  return std::make_unique<OpenRelations>(OpenEdges(store, projection_, place.generation),
                                         ListsOf(projection_), limit_, place);
}

}  // namespace fanfold::projector
