#include "projector/posts/post_fold.h"

#include <memory>
#include <utility>

#include "projector/posts/post_batch.h"
#include "projector/posts/post_rows.h"
#include "projector/runtime/row_load.h"

namespace fanfold::projector {
namespace {

class OpenPostFold final : public OpenFold {
 public:
  OpenPostFold(std::unique_ptr<PostStore> store, std::unique_ptr<ErasureStore> erasures,
               const Clock& clock, std::int32_t partitions)
      : store_(std::move(store)), accounts_(std::move(erasures), clock), partitions_(partitions) {}

  std::unique_ptr<FoldBatch> NewBatch() override {
    return std::make_unique<PostBatch>(*store_, accounts_, partitions_);
  }
  void Forget() override { accounts_.Forget(); }
  std::size_t deleted_accounts() const noexcept override { return accounts_.size(); }

 private:
  std::unique_ptr<PostStore> store_;
  EndedAccounts accounts_;
  std::int32_t partitions_;
};

constexpr auto kBytesOf = [](const PostWrite& post) { return BytesOf(post); };

}  // namespace

std::unique_ptr<FoldLoad> PostFold::NewLoad(const Placement& placement) const {
  using Parts = KeyedParts<PostWrites, &PostWrites::posts, kBytesOf>;
  return std::make_unique<RowLoad<PostRows, Parts>>(placement, PostRows());
}

std::unique_ptr<OpenFold> PostFold::Open(LaneStore& store, const WorkPlace& place,
                                         const Clock& clock) const {
  return std::make_unique<OpenPostFold>(OpenPostStore(store, projection_, place.generation),
                                        OpenErasures(store), clock, place.placement.partitions());
}

}  // namespace fanfold::projector
