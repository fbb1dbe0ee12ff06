#include "tests/support/memory_posts.h"

#include <algorithm>
#include <functional>

namespace fanfold::testing {

Result<std::vector<PostRow>> MemoryPosts::Load(std::span<const RowKey> keys) {
  std::vector<PostRow> rows;
  for (const RowKey& key : keys) {
    const auto found = tables_.posts.find({generation_, key});
    rows.push_back(found == tables_.posts.end() ? PostRow() : found->second);
    rows.back().content.clear();
  }
  return rows;
}

template <class Takes>
PostView MemoryPostReader::ViewOf(Generation generation, UserId author, Partition partition,
                                  const Takes& takes) const {
  PostView view;
  for (auto at = tables_.posts.lower_bound({generation, RowKey{author, UserId(0)}});
       at != tables_.posts.end() && at->first.first == generation &&
       at->first.second.user == author;
       ++at) {
    const PostRow& row = at->second;
    const ListedPost post{{row.score, PostOf(at->first.second)}, row.post_type, row.content};
    if (row.active && takes(post)) view.posts.push_back(post);
  }
  std::ranges::sort(view.posts, std::greater(), &ListedPost::place);
  const auto lane = tables_.lanes.find({projections::kPosts, generation, partition});
  if (lane == tables_.lanes.end()) return view;
  view.position = lane->second.progress.event_offset;
  view.rewound = view.position < lane->second.folded_offset;
  return view;
}

Result<PostView> MemoryPostReader::Page(Generation generation, UserId author, Partition partition,
                                        const std::optional<PostPlace>& after, std::size_t limit) {
  PostView view = ViewOf(generation, author, partition,
                         [&](const ListedPost& post) { return !after || post.place < *after; });
  if (view.posts.size() > limit) view.posts.resize(limit);
  return view;
}

Result<PostView> MemoryPostReader::One(Generation generation, UserId author, Partition partition,
                                       PostId post) {
  return ViewOf(generation, author, partition,
                [&](const ListedPost& one) { return one.place.post == post; });
}

PostLanes MemoryPostReader::LanesOf(Generation generation) const {
  PostLanes at;
  for (const auto& [lane, row] : tables_.lanes) {
    if (lane.projection != projections::kPosts || lane.generation != generation) continue;
    const Offset position = row.progress.event_offset;
    at.lanes.push_back({lane.partition, position, position < row.folded_offset});
  }
  if (!tables_.repairs.empty()) at.repair_mark = tables_.repairs.back().mark;
  return at;
}

Result<StretchesView> MemoryPostReader::Stretches(Generation generation,
                                                  std::span<const PostStretch> stretches,
                                                  std::size_t limit) {
  StretchesView view{{}, LanesOf(generation)};
  for (const PostStretch& stretch : stretches) {
    const bool below = stretch.side == PostStretch::Side::kBelow;
    const auto takes = [&](const ListedPost& post) {
      return (post.place < stretch.bound) == below;
    };
    std::vector<PostPlace>& places = view.stretches.emplace_back();
    for (const ListedPost& post : ViewOf(generation, stretch.author, Partition(0), takes).posts) {
      places.push_back(post.place);
    }
    if (!below) std::ranges::reverse(places);
    if (places.size() > limit) places.resize(limit);
  }
  return view;
}

Result<PostsView> MemoryPostReader::Among(Generation generation, std::span<const RowKey> posts) {
  PostsView view{{}, LanesOf(generation)};
  for (const RowKey& key : posts) {
    const auto found = tables_.posts.find({generation, key});
    const bool there = found != tables_.posts.end() && found->second.active;
    std::optional<ListedPost>& post = view.posts.emplace_back();
    if (there) {
      const PostRow& row = found->second;
      post = ListedPost{{row.score, PostOf(key)}, row.post_type, row.content};
    }
  }
  return view;
}

}  // namespace fanfold::testing
