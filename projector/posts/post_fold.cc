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
  OpenPostFold(std::unique_ptr<PostStore> store, std::int32_t partitions)
      : store_(std::move(store)), partitions_(partitions) {}

  std::unique_ptr<FoldBatch> NewBatch() override {
    return std::make_unique<PostBatch>(*store_, partitions_);
  }
  void Forget() override {}

 private:
  std::unique_ptr<PostStore> store_;
  std::int32_t partitions_;
};

constexpr auto kBytesOf = [](const PostWrite& post) { return BytesOf(post); };

}  // namespace

std::unique_ptr<FoldLoad> PostFold::NewLoad(const Placement& placement) const {
  using Parts = KeyedParts<PostWrites, &PostWrites::posts, kBytesOf>;
  return std::make_unique<RowLoad<PostRows, Parts>>(placement, PostRows());
}

std::unique_ptr<OpenFold> PostFold::Open(LaneStore& store, const WorkPlace& place) const {
  return std::make_unique<OpenPostFold>(OpenPostStore(store, projection_, place.generation),
                                        place.placement.partitions());
}

}  // namespace fanfold::projector
