#include "projector/posts/post_fold.h"

#include <utility>
#include <vector>

#include "projector/posts/post_batch.h"
#include "projector/posts/post_rows.h"

namespace fanfold::projector {
namespace {

// Rows of a transaction of a load, in memory.
constexpr std::size_t kPartBytesMax = 4'000'000;

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

// Of a shard, where the load holds them.
class PostParts final : public RowParts {
 public:
  PostParts(const PostWrites& all, const Placement& placement, Shard shard) {
    for (const PostWrite& post : all.posts) {
      if (placement.ShardOf(post.key.user) == shard) rows_.push_back(&post);
    }
  }

  const RowWrites& Next(bool /*newest*/) override {
    part_.posts.clear();
    for (std::size_t bytes = 0; !AtEnd() && bytes < kPartBytesMax; ++at_) {
      bytes += BytesOf(part_.posts.emplace_back(*rows_[at_]));
    }
    return part_;
  }
  bool AtEnd() const noexcept override { return at_ == rows_.size(); }

 private:
  std::vector<const PostWrite*> rows_;
  std::size_t at_ = 0;
  PostWrites part_;
};

class PostLoad final : public FoldLoad {
 public:
  explicit PostLoad(const Placement& placement) : placement_(placement) {}

  std::vector<std::expected<Decided, Unreadable>> ReadDecided(
      std::span<const LogRecord> records) override {
    return rows_.Read(records);
  }
  void Keep(std::span<const std::size_t> places) override { rows_.Keep(places); }
  std::size_t bytes() const noexcept override { return rows_.bytes(); }
  void Seal() override { rows_.Seal(); }
  std::unique_ptr<RowParts> PartsOf(Shard shard) const override {
    return std::make_unique<PostParts>(rows_.writes(), placement_, shard);
  }
  void Clear() override { rows_.Clear(); }

 private:
  Placement placement_;
  PostRows rows_;
};

}  // namespace

std::unique_ptr<FoldLoad> PostFold::NewLoad(const Placement& placement) const {
  return std::make_unique<PostLoad>(placement);
}

std::unique_ptr<OpenFold> PostFold::Open(LaneStore& store, const WorkPlace& place) const {
  return std::make_unique<OpenPostFold>(OpenPostStore(store, projection_, place.generation),
                                        place.placement.partitions());
}

}  // namespace fanfold::projector
