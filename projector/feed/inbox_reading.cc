#include "projector/feed/inbox_reading.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "common/ports/post_reader.h"

namespace fanfold::projector {

Result<std::vector<UserId>> InboxReading::Followed(UserId owner) {
  const Result<ProjectionReader*> reader = shards_.ReaderOf(shards_.placement().ShardOf(owner));
  if (!reader) return std::unexpected(reader.error());
  std::set<UserId> followed;
  PageStart start;
  for (bool more = true; more;) {
    const auto page = (*reader)->Page(Direction::kFollowing, shards_.read()[Direction::kFollowing],
                                      owner, start, ListReader::kPageMax);
    if (!page) return std::unexpected(page.error());
    for (const ListedUser& one : *page) followed.insert(one.user);
    more = page->size() == ListReader::kPageMax;
    if (more) start.after = page->back();
  }
  return std::vector<UserId>(followed.begin(), followed.end());
}

Result<std::vector<UserId>> InboxReading::PulledAmong(const std::vector<UserId>& authors) {
  std::map<Shard, std::vector<UserId>> by_shard;
  for (const UserId author : authors) {
    by_shard[shards_.placement().ShardOf(author)].push_back(author);
  }
  std::vector<UserId> pulled;
  for (const auto& [shard, of_shard] : by_shard) {
    const Result<InboxStore*> store = shards_.StoreOf(shard);
    if (!store) return std::unexpected(store.error());
    const auto found = (*store)->Pulled(of_shard);
    if (!found) return std::unexpected(found.error());
    std::ranges::transform(*found, std::back_inserter(pulled), &PulledAuthor::author);
  }
  std::ranges::sort(pulled);
  return pulled;
}

Result<std::map<Partition, Offset>> InboxReading::Posts(NewestPosts& newest) {
  std::map<Partition, Offset> read;
  const Placement& placement = shards_.placement();
  for (auto missing = newest.Missing(); !missing.empty(); missing = newest.Missing()) {
    std::vector<std::vector<PostPlace>> told(missing.size());
    std::map<Shard, std::vector<std::size_t>> by_shard;  // places in `missing`
    for (std::size_t i = 0; i < missing.size(); ++i) {
      by_shard[placement.ShardOf(missing[i].author)].push_back(i);
    }
    for (const auto& [shard, places] : by_shard) {
      const Result<ProjectionReader*> reader = shards_.ReaderOf(shard);
      if (!reader) return std::unexpected(reader.error());
      const auto posts = OpenPosts(**reader);
      for (std::size_t at = 0; at < places.size(); at += PostReader::kStretchesMax) {
        const auto piece =
            std::span(places).subspan(at, std::min(PostReader::kStretchesMax, places.size() - at));
        std::vector<PostStretch> asked;
        for (const std::size_t place : piece) asked.push_back(missing[place]);
        auto view = posts->Stretches(shards_.read()[projections::kPosts], asked, newest.asked());
        if (!view) return std::unexpected(view.error());
        for (std::size_t i = 0; i < piece.size(); ++i) {
          told[piece[i]] = std::move(view->stretches[i]);
          const PostLanes::Lane lane = view->at.LaneOf(placement.PartitionOf(asked[i].author));
          if (lane.rewound) {
            return Fail(ErrorCode::kUnavailable,
                        "inboxes wait for lanes of posts that are rewound");
          }
          Offset& known = read[lane.partition];
          known = std::max(known, lane.position);
        }
      }
    }
    newest.Take(missing, told);
  }
  return read;
}

}  // namespace fanfold::projector
