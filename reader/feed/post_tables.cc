#include "reader/feed/post_tables.h"

#include <utility>
#include <vector>

#include "common/ports/post_kind.h"

namespace fanfold::reader {
namespace {

static_assert(RunSource::kGapsMax <= PostReader::kStretchesMax);
static_assert(FeedReader::kPostsMax <= PostReader::kStretchMax);

PostRun RunOf(const PostStretch& gap, const std::vector<PostPlace>& told, std::size_t asked) {
  return gap.side == PostStretch::Side::kBelow ? PostRun::Below(gap.bound, told, asked)
                                               : PostRun::AtOrAbove(gap.bound, told, asked);
}

}  // namespace

Result<std::unique_ptr<PostReader>> PostTables::On(Shard shard) {
  if (tables_ == nullptr) return Fail(ErrorCode::kUnavailable, "memory alone does not do");
  const Result<ProjectionReader*> reader = tables_->On(shard);
  if (!reader) return std::unexpected(reader.error());
  return OpenPosts(**reader);
}

Result<FetchedRuns> PostTables::Fetch(Shard shard, Generation generation,
                                      std::span<const PostStretch> gaps, std::size_t posts) {
  const Result<std::unique_ptr<PostReader>> reader = On(shard);
  if (!reader) return std::unexpected(reader.error());
  Result<StretchesView> view = (*reader)->Stretches(generation, gaps, posts);
  if (!view) return Forward(view);
  FetchedRuns fetched{std::move(view->at), {}};
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    fetched.runs.push_back({gaps[i].author, RunOf(gaps[i], view->stretches[i], posts)});
  }
  return fetched;
}

Result<FetchedContents> PostTables::Contents(Shard shard, Generation generation,
                                             std::span<const FeedKey> keys) {
  const Result<std::unique_ptr<PostReader>> reader = On(shard);
  if (!reader) return std::unexpected(reader.error());
  std::vector<RowKey> asked;
  for (const FeedKey& key : keys) asked.push_back(KeyOf(key.author, key.post));
  Result<PostsView> view = (*reader)->Among(generation, asked);
  if (!view) return Forward(view);
  FetchedContents fetched{std::move(view->at), {}};
  for (std::optional<ListedPost>& post : view->posts) {
    std::optional<PostContent>& content = fetched.contents.emplace_back();
    if (post) content = PostContent{post->post_type, std::move(post->content)};
  }
  return fetched;
}

}  // namespace fanfold::reader
