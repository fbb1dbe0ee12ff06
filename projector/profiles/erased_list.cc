#include "projector/profiles/erased_list.h"

#include <algorithm>
#include <array>

#include "common/ports/edge_kind.h"
#include "common/ports/feed_kind.h"
#include "common/ports/post_kind.h"
#include "common/ports/post_reader.h"
#include "common/ports/shown_reader.h"
#include "common/relation/codec.h"
#include "common/stream/slot.h"

namespace fanfold::projector {
namespace {

// Does the deletion reach what the row says?
bool Reaches(const EndsAsked& asked, Stream stream, UserId key, Version version) {
  const auto partition = static_cast<std::size_t>(PartitionOf(key, asked.partitions).value);
  return version.value <= asked.erasure.ends[stream][partition].value;
}

template <Direction list>
std::vector<EndEvent> EncodedEdges(const EndsAsked& asked, std::span<const RowImage> rows) {
  std::vector<EndEvent> encoded;
  for (const Event& event : EndsOfEdges(asked, list, rows)) {
    encoded.push_back({event.subject, EncodeEvent(event)});
  }
  return encoded;
}

std::vector<EndEvent> EncodedPosts(const EndsAsked& asked, std::span<const RowImage> rows) {
  std::vector<EndEvent> encoded;
  for (const PostEvent& event : EndsOfPosts(asked, rows)) {
    encoded.push_back({event.author, EncodePostEvent(event)});
  }
  return encoded;
}

std::vector<EndEvent> EncodedShown(const EndsAsked& asked, std::span<const RowImage> rows) {
  std::vector<EndEvent> encoded;
  for (const FeedEvent& event : EndsOfShown(asked, rows)) {
    encoded.push_back({event.owner, EncodeFeedEvent(event)});
  }
  return encoded;
}

constexpr std::array kLists = {
    ErasedList{EraseStage::kFollowing, projections::kFollowing, true,
               EncodedEdges<Direction::kFollowing>},
    ErasedList{EraseStage::kFans, projections::kFans, false, EncodedEdges<Direction::kFans>},
    ErasedList{EraseStage::kPosts, projections::kPosts, true, EncodedPosts},
    ErasedList{EraseStage::kShown, projections::kFeed, true, EncodedShown},
};

// Of an account that stays deleted. Somebody may follow it again and again from another shard, and
// the list of fans is then begun anew: nothing of the account's own waits for that.
constexpr std::array kFansLast = {kLists[0], kLists[2], kLists[3], kLists[1]};
static_assert(kFansLast.back().stage == EraseStage::kFans);

std::span<const ErasedList> ListsOf(const Erasure& erasure) {
  return erasure.stays ? kFansLast : kLists;
}

// The first from `stage` on, or behind it, of those the deletion says the ends of.
const ErasedList* FirstFrom(EraseStage stage, bool behind, const Erasure& erasure) {
  const std::span<const ErasedList> lists = ListsOf(erasure);
  auto at = std::ranges::find(lists, stage, &ErasedList::stage);
  if (behind && at != lists.end()) ++at;
  at = std::find_if(at, lists.end(),
                    [&](const ErasedList& list) { return !erasure.ends[list.stream()].empty(); });
  return at == lists.end() ? nullptr : &*at;
}

}  // namespace

std::span<const ErasedList> ErasedLists() { return kLists; }

const ErasedList* ListWalked(const Erasure& erasure) {
  return FirstFrom(erasure.progress.stage, /*behind=*/false, erasure);
}

EraseStage StageBehind(const ErasedList& list, const Erasure& erasure) {
  const ErasedList* next = FirstFrom(list.stage, /*behind=*/true, erasure);
  return next == nullptr ? EraseStage::kAppended : next->stage;
}

std::vector<Event> EndsOfEdges(const EndsAsked& asked, Direction list,
                               std::span<const RowImage> rows) {
  std::vector<Event> events;
  for (const RowImage& row : rows) {
    const RecordKey edge = RecordOf(ProjectionOf(list), row.key);
    if (!EdgeOf(row.state).active) continue;
    if (!Reaches(asked, streams::kRelations, edge.subject, row.state.version)) continue;
    events.push_back({.event_id = asked.ids.Next(),
                      .type = EventType::kUnfollow,
                      .subject = edge.subject,
                      .object = edge.object,
                      .at_ms = asked.at_ms,
                      .by = list == Direction::kFans ? AskedBy::kObject : AskedBy::kSubject,
                      .if_version = row.state.version,
                      .replay_of = std::nullopt,
                      .trace = {}});
  }
  return events;
}

std::vector<PostEvent> EndsOfPosts(const EndsAsked& asked, std::span<const RowImage> rows) {
  std::vector<PostEvent> events;
  for (const RowImage& row : rows) {
    if (!IsActivePost(row.state)) continue;
    if (!Reaches(asked, streams::kPosts, row.key.user, row.state.version)) continue;
    events.push_back({.event_id = asked.ids.Next(),
                      .type = PostEventType::kDeletePost,
                      .author = row.key.user,
                      .post_id = PostOf(row.key),
                      .at_ms = asked.at_ms});
  }
  return events;
}

std::vector<FeedEvent> EndsOfShown(const EndsAsked& asked, std::span<const RowImage> rows) {
  std::vector<FeedEvent> events;
  for (const RowImage& row : rows) {
    if (!IsActiveFeedRow(row.state)) continue;
    if (!Reaches(asked, streams::kFeeds, row.key.user, row.state.version)) continue;
    events.push_back({.event_id = asked.ids.Next(),
                      .type = FeedEventType::kForget,
                      .owner = row.key.user,
                      .at_ms = asked.at_ms,
                      .shown_id = ShownOf(row.key)});
  }
  return events;
}

}  // namespace fanfold::projector
