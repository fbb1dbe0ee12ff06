#include "reader/feed/post_tables.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/ports/post_kind.h"
#include "common/ports/shown_reader.h"

namespace fanfold::reader {
namespace {

static_assert(RunSource::kGapsMax <= PostReader::kStretchesMax);
static_assert(FeedReader::kPostsMax <= PostReader::kStretchMax);

PostRun RunOf(const PostStretch& gap, const std::vector<PostPlace>& told, std::size_t asked) {
  return gap.side == PostStretch::Side::kBelow ? PostRun::Below(gap.bound, told, asked)
                                               : PostRun::AtOrAbove(gap.bound, told, asked);
}

// What the inbox says of those of these authors whom it covers.
FetchedRuns RunsOf(InboxView view, std::span<const UserId> authors) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  view.inbox.Trim(kAll);
  const InboxEntry& floor = view.inbox.floor;
  std::unordered_map<UserId, std::vector<PostPlace>> posts;  // descending
  for (const InboxEntry& entry : view.inbox.all.posted) {
    posts[entry.author].push_back({entry.score, entry.post});
  }
  FetchedRuns fetched;
  for (const auto& [partition, event] : view.delivered) {
    fetched.view.lanes.push_back({partition, event});
  }
  for (const UserId author : authors) {
    const bool is_covered = author != view.head.of.owner &&
                            !std::ranges::binary_search(view.changed, author) &&
                            !std::ranges::binary_search(view.inbox.all.pulled, author);
    if (!is_covered) continue;
    std::vector<PostPlace>& his = posts[author];
    std::ranges::reverse(his);
    const FeedKey lowest(floor.author, {floor.score, floor.post});
    fetched.runs.push_back({author, PostRun(BoundIn(author, lowest), kAboveAll, his)});
  }
  return fetched;
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

Result<std::optional<FetchedRuns>> PostTables::FromInbox(std::span<const UserId> authors) {
  if (tables_ == nullptr || !inbox_ || !inbox_->deployment.inboxes) return std::nullopt;
  const auto& [owner, deployment, relations] = *inbox_;
  const Result<ProjectionReader*> reader = tables_->On(deployment.placement.ShardOf(owner));
  if (!reader) return std::unexpected(reader.error());
  auto view = OpenShown(**reader)->Inbox({{deployment.placement.PartitionOf(owner), owner},
                                          *deployment.inboxes,
                                          deployment.read[Direction::kFollowing]});
  if (!view) return Forward(view);
  const bool tells = *view && (*view)->head.made && !(*view)->is_damaged &&
                     (*view)->head.stand == InboxStandOf(*deployment.inboxes, deployment.read) &&
                     (*view)->following >= relations;
  if (!tells) return std::nullopt;
  return RunsOf(**std::move(view), authors);
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
