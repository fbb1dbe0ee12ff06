#include "tests/support/memory_reader.h"

#include <algorithm>
#include <iterator>

#include "tests/support/memory_feeds.h"
#include "tests/support/memory_posts.h"
#include "tests/support/memory_profiles.h"

namespace fanfold::testing {
namespace {

constexpr auto kFollowing = Direction::kFollowing;
constexpr auto kFans = Direction::kFans;

std::vector<ListedUser> Cut(std::vector<ListedUser> rows, const PageStart& start,
                            std::size_t limit) {
  if (start.after) {
    std::erase_if(rows, [&](const ListedUser& row) { return !ListedBefore(*start.after, row); });
  }
  const auto skipped = std::min(static_cast<std::size_t>(start.offset), rows.size());
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(skipped));
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

}  // namespace

std::vector<ListedUser> MemoryReader::Listed(Direction list, Generation generation,
                                             UserId user) const {
  std::vector<ListedUser> rows;
  auto row = tables_.edges.lower_bound({ProjectionOf(list), generation, EdgeKey{user, UserId(0)}});
  for (; row != tables_.edges.end(); ++row) {
    const auto& [of_list, of_generation, key] = row->first;
    if (of_list != ProjectionOf(list) || of_generation != generation || key.user != user) break;
    if (row->second.active) rows.push_back({key.other, row->second.since_ms});
  }
  std::ranges::sort(rows, ListedBefore);
  return rows;
}

std::vector<ListedUser> MemoryReader::Friends(const ReadGenerations& read, UserId user) const {
  std::vector<ListedUser> friends;
  for (ListedUser entry : Listed(kFollowing, read[Direction::kFollowing], user)) {
    const auto fan = tables_.edges.find(
        {ProjectionOf(kFans), read[Direction::kFans], EdgeKey{user, entry.user}});
    if (fan == tables_.edges.end() || !fan->second.active) continue;
    entry.since_ms = std::max(entry.since_ms, fan->second.since_ms);
    friends.push_back(entry);
  }
  std::ranges::sort(friends, ListedBefore);
  return friends;
}

std::int64_t MemoryReader::CountOf(Direction list, Generation generation, UserId user) const {
  const auto found = tables_.counts.find({ProjectionOf(list), generation, user});
  return found == tables_.counts.end() ? 0 : found->second;
}

bool MemoryReader::IsListed(Direction list, Generation generation, UserId user,
                            UserId other) const {
  const auto found = tables_.edges.find({ProjectionOf(list), generation, EdgeKey{user, other}});
  return found != tables_.edges.end() && found->second.active;
}

Result<std::vector<ListedUser>> MemoryReader::Page(Direction list, Generation generation,
                                                   UserId user, const PageStart& start,
                                                   std::size_t limit) {
  return Cut(Listed(list, generation, user), start, limit);
}

Result<std::vector<ListedUser>> MemoryReader::FriendsPage(const ReadGenerations& read, UserId user,
                                                          const PageStart& start,
                                                          std::size_t limit) {
  return Cut(Friends(read, user), start, limit);
}

Result<std::vector<ListedUser>> MemoryReader::Among(Direction list, Generation generation,
                                                    UserId user, std::span<const UserId> others) {
  std::vector<ListedUser> rows = Listed(list, generation, user);
  std::erase_if(rows, [&](const ListedUser& row) {
    return std::ranges::find(others, row.user) == others.end();
  });
  return rows;
}

Result<std::vector<UserCounts>> MemoryReader::Counts(const ReadGenerations& read,
                                                     std::span<const UserId> users) {
  std::vector<UserCounts> counts;
  for (const UserId user : users) {
    counts.push_back({user, CountOf(kFollowing, read[Direction::kFollowing], user),
                      CountOf(kFans, read[Direction::kFans], user),
                      std::ssize(Friends(read, user))});
  }
  return counts;
}

Result<std::vector<Directions>> MemoryReader::Relations(const ReadGenerations& read, UserId user,
                                                        std::span<const UserId> targets) {
  std::vector<Directions> directions;
  for (const UserId target : targets) {
    directions.push_back({IsListed(kFollowing, read[Direction::kFollowing], user, target),
                          IsListed(kFans, read[Direction::kFans], user, target)});
  }
  return directions;
}

Result<UserView> MemoryReader::View(const ReadGenerations& read, UserId user, Partition partition,
                                    std::span<const ListQuestion> questions) {
  UserView view;
  view.following = EdgeCount(CountOf(kFollowing, read[Direction::kFollowing], user));
  view.fans = EdgeCount(CountOf(kFans, read[Direction::kFans], user));
  for (const ListQuestion& question : questions) {
    const Generation generation =
        question.list == kFollowing ? read[Direction::kFollowing] : read[Direction::kFans];
    view.answers.push_back(
        question.among.empty()
            ? Cut(Listed(question.list, generation, user), {question.after, 0}, question.limit)
            : *Among(question.list, generation, user, question.among));
  }
  view.position.fans.resize(static_cast<std::size_t>(placement_.partitions()));
  for (const auto& [id, lane] : tables_.lanes) {
    const Offset position = lane.progress.event_offset;
    const bool rewound = position < lane.folded_offset;
    if (id == LaneId{ProjectionOf(kFollowing), read[Direction::kFollowing], partition}) {
      view.position.following = position;
      view.position.following_rewound = rewound;
    }
    if (id.projection == ProjectionOf(kFans) && id.generation == read[Direction::kFans]) {
      view.position.fans_rewound = view.position.fans_rewound || rewound;
      view.position.fans.at(static_cast<std::size_t>(id.partition.value)) = position;
    }
  }
  view.position.repair_mark = tables_.repairs.empty() ? 0 : tables_.repairs.back().mark;
  return view;
}

Result<EdgeView> MemoryReader::EdgeAt(Direction list, Generation generation, const EdgeKey& key,
                                      Partition partition) {
  EdgeView view;
  view.count = EdgeCount(CountOf(list, generation, key.user));
  const auto edge = tables_.edges.find({ProjectionOf(list), generation, key});
  if (edge != tables_.edges.end()) view.edge = edge->second;
  const auto lane = tables_.lanes.find({ProjectionOf(list), generation, partition});
  if (lane != tables_.lanes.end()) {
    view.position = lane->second.progress.event_offset;
    view.rewound = view.position < lane->second.folded_offset;
  }
  return view;
}

Result<std::vector<RepairRow>> MemoryReader::RepairsAfter(std::uint64_t after, std::size_t limit) {
  std::vector<RepairRow> repairs;
  std::ranges::copy_if(tables_.repairs, std::back_inserter(repairs),
                       [&](const RepairRow& repair) { return repair.mark > after; });
  if (repairs.size() > limit) repairs.resize(limit);
  return repairs;
}

Result<std::vector<LaneStatus>> MemoryReader::Lanes() {
  std::vector<LaneStatus> lanes;
  for (const auto& [id, lane] : tables_.lanes) {
    LaneStatus status;
    status.lane = id;
    status.deciding = lane.deciding;
    status.state = lane.state;
    status.state_reason = lane.reason;
    status.owner_epoch = lane.fence.epoch;
    status.progress = lane.progress;
    status.folded_offset = lane.folded_offset;
    lanes.push_back(std::move(status));
  }
  return lanes;
}

Result<std::vector<ParkedRow>> MemoryReader::Parked(
    Projection projection, std::optional<std::pair<Partition, Offset>> after, std::size_t limit) {
  const auto place = [](const ParkedRow& row) { return std::pair(row.lane.partition, row.offset); };
  std::vector<ParkedRow> rows;
  for (const ParkedRow& row : tables_.parked) {
    const bool wanted = row.lane.projection == projection && (!after || *after < place(row));
    if (wanted) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, place);
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

Result<std::optional<ParkedRow>> MemoryReader::ParkedAt(Projection projection, Partition partition,
                                                        Offset offset) {
  const auto found = std::ranges::find_if(tables_.parked, [&](const ParkedRow& row) {
    return row.lane.projection == projection && row.lane.partition == partition &&
           row.offset == offset;
  });
  if (found == tables_.parked.end()) return std::nullopt;
  return *found;
}

std::unique_ptr<RowReader> MemoryReader::OpenRows(Projection projection) {
  if (projection == projections::kPosts) return std::make_unique<MemoryPostReader>(tables_);
  if (projection == projections::kFeed) return std::make_unique<MemoryShownReader>(tables_);
  return HoldsLists(projection) ? nullptr : std::make_unique<MemoryProfiles>(tables_);
}

Result<SlotMap> MemoryReader::ReadSlotMap(SlotMapId) {
  SlotMap map;
  for (std::size_t slot = 0; slot < map.shard_of.size(); ++slot) {
    const auto partition = static_cast<std::int32_t>(slot) % placement_.partitions();
    map.shard_of[slot] = placement_.ShardOf(Partition(partition));
  }
  return map;
}

Result<Catalog> MemoryReader::ReadCatalog() {
  if (shard_ != Shard(0)) return Fail(ErrorCode::kRefused, "the catalog is on shard 0");
  return Catalog{{}, placement_.shape(), placement_.slot_map()};
}

}  // namespace fanfold::testing
