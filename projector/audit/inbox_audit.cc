#include "projector/audit/inbox_audit.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <thread>
#include <utility>

#include "common/ports/post_kind.h"
#include "common/ports/shown_reader.h"

namespace fanfold::projector {
namespace {

constexpr std::size_t kAskedOfEach = 64;  // posts of an author
constexpr PostPlace kAboveAll{std::numeric_limits<std::int64_t>::max(),
                              PostId(std::numeric_limits<std::uint64_t>::max())};

std::map<Partition, Offset> DeliveredTo(const InboxView& view) {
  return {view.delivered.begin(), view.delivered.end()};
}

std::set<InboxEntry> EntriesOf(const InboxView& view, const std::set<UserId>& authors,
                               const InboxEntry& floor) {
  std::set<InboxEntry> entries;
  for (const InboxEntry& entry : view.inbox.all.posted) {
    if (entry >= floor && authors.contains(entry.author)) entries.insert(entry);
  }
  return entries;
}

}  // namespace

Result<InboxAudit::Connections*> InboxAudit::On(Shard shard) {
  Connections& of = shards_[shard];
  if (!of.reader) {
    Result<std::unique_ptr<ProjectionReader>> reader = ports_.open_reader(shard);
    if (!reader) return Forward(reader);
    Result<std::unique_ptr<LaneStore>> lanes = ports_.open_store(shard);
    if (!lanes) return Forward(lanes);
    of.lanes = *std::move(lanes);
    of.inboxes = OpenInboxes(*of.lanes);
    of.reader = *std::move(reader);
  }
  return &of;
}

Status InboxAudit::All(VerifyReport& report) {
  if (!ports_.deployment.inboxes) return {};
  const Placement& placement = ports_.deployment.placement;
  for (std::int32_t s = 0; s < placement.shards(); ++s) {
    if (Status checked = CheckParts(Shard(s), report); !checked) return checked;
  }
  for (std::int32_t p = 0; p < placement.partitions(); ++p) {
    const Result<Connections*> on = On(placement.ShardOf(Partition(p)));
    if (!on) return std::unexpected(on.error());
    for (UserId after(0);;) {
      const auto heads = (*on)->inboxes->Heads(Partition(p), after, kHeadsMax);
      if (!heads) return std::unexpected(heads.error());
      for (const InboxHead& head : *heads) {
        if (Status checked = Check(head.of, report); !checked) return checked;
      }
      if (heads->size() < kHeadsMax) break;
      after = heads->back().of.owner;
    }
  }
  return {};
}

Status InboxAudit::Of(const std::set<UserId>& owners, VerifyReport& report) {
  if (!ports_.deployment.inboxes) return {};
  for (const UserId owner : owners) {
    const InboxOwner of{ports_.deployment.placement.PartitionOf(owner), owner};
    if (Status checked = Check(of, report); !checked) return checked;
  }
  return {};
}

Result<std::size_t> InboxAudit::Mend(const std::vector<Difference>& differences) {
  std::size_t mended = 0;
  for (const Difference& difference : differences) {
    if (difference.kind != kWrongInbox || !ports_.deployment.inboxes) continue;
    const Result<Connections*> on = On(difference.shard);
    if (!on) return std::unexpected(on.error());
    const Status renewed = (*on)->inboxes->Renew(
        {ports_.deployment.placement.PartitionOf(difference.user), difference.user},
        InboxStandOf(*ports_.deployment.inboxes, ports_.deployment.read), InboxStore::kNobody);
    if (!renewed) return std::unexpected(renewed.error());
    ++mended;
  }
  return mended;
}

// A delivery that came when the owner was gone has left them, whom nobody looks after.
Status InboxAudit::CheckParts(Shard shard, VerifyReport& report) {
  const Placement& placement = ports_.deployment.placement;
  const Result<Connections*> on = On(shard);
  if (!on) return std::unexpected(on.error());
  InboxStore& store = *(*on)->inboxes;
  for (UserId after(0);;) {
    const auto owners = store.OwnersOfParts(after, kHeadsMax);
    if (!owners) return std::unexpected(owners.error());
    std::vector<InboxOwner> asked;
    for (const UserId owner : *owners) asked.push_back({placement.PartitionOf(owner), owner});
    const auto active = store.Active(asked, /*counts=*/false);
    if (!active) return std::unexpected(active.error());
    std::set<UserId> with_head;
    for (const ActiveInbox& inbox : *active) with_head.insert(inbox.owner);
    for (const InboxOwner& of : asked) {
      if (with_head.contains(of.owner)) continue;
      const auto again = store.OwnersOfParts(UserId(of.owner.value - 1), 1);
      if (!again) return std::unexpected(again.error());
      if (*again == std::vector{of.owner}) {
        Add(shard, of.owner, "there is none, but parts of one", report);
      }
    }
    if (!ports_.pace.Read(std::ssize(*owners))) return Fail(ErrorCode::kTimeout, "stopped");
    if (owners->size() < kHeadsMax) return {};
    after = owners->back();
  }
}

void InboxAudit::Add(Shard shard, UserId owner, std::string detail, VerifyReport& report) {
  ++report.found;
  if (report.differences.size() >= Verifier::kDifferencesMax) return;
  report.differences.push_back(
      {kWrongInbox, projections::kFeed, shard, owner, UserId(0), std::move(detail)});
}

Status InboxAudit::Check(const InboxOwner& of, VerifyReport& report) {
  const Shard shard = ports_.deployment.placement.ShardOf(of.partition);
  const auto before = Read(of);
  if (!before) return std::unexpected(before.error());
  if (!*before) return {};
  if ((*before)->is_damaged) {
    Add(shard, of.owner, "a part of it is damaged", report);
    return {};
  }
  Result<std::vector<UserId>> followed = Followed(of.owner);
  if (!followed) return Forward(followed);
  const Result<InTables> tables = PostsOf(*followed, (*before)->inbox.floor);
  if (!tables) return std::unexpected(tables.error());
  const auto behind = ReadBehind(**before, tables->at, report);
  if (!behind) return std::unexpected(behind.error());
  if (!*behind) return {};
  const InboxView& after = **behind;
  std::set<UserId> covered;
  for (const UserId author : *followed) {
    if (!std::ranges::binary_search(after.changed, author) &&
        !std::ranges::binary_search(after.inbox.all.pulled, author)) {
      covered.insert(author);
    }
  }
  const Posts told_before = EntriesOf(**before, covered, after.inbox.floor);
  const Posts told = EntriesOf(after, covered, after.inbox.floor);
  const Delivered begun = DeliveredTo(**before);
  Posts missing;
  for (const InboxEntry& entry : tables->posts) {
    const bool is_due = entry >= after.inbox.floor && covered.contains(entry.author);
    if (is_due && !told.contains(entry)) missing.insert(entry);
  }
  const Result<Posts> there = StillThere(missing);
  if (!there) return std::unexpected(there.error());
  // Of one that was there before the tables were read they know; where it is gone, it was deleted,
  // and that is delivered.
  std::size_t extra = 0;
  for (const InboxEntry& entry : told) {
    const Partition partition = ports_.deployment.placement.PartitionOf(entry.author);
    const auto begin = begun.find(partition);
    const bool tables_know = begin != begun.end() && begin->second <= tables->at.at(partition);
    if (told_before.contains(entry) && tables_know && !tables->posts.contains(entry)) ++extra;
  }
  if (!ports_.pace.Read(std::ssize(*followed) + std::ssize(told))) {
    return Fail(ErrorCode::kTimeout, "stopped");
  }
  if (there->empty() && extra == 0) return {};
  Add(shard, of.owner,
      std::to_string(there->size()) + " posts are missing, " + std::to_string(extra) + " are gone",
      report);
  return {};
}

Result<std::optional<InboxView>> InboxAudit::Read(const InboxOwner& of) {
  const Deployment& deployment = ports_.deployment;
  const Result<Connections*> on = On(deployment.placement.ShardOf(of.partition));
  if (!on) return std::unexpected(on.error());
  auto view =
      (*on)->inboxes->Read({of, *deployment.inboxes, deployment.read[Direction::kFollowing]});
  const bool is_read = view && *view && (*view)->head.made &&
                       (*view)->head.stand == InboxStandOf(*deployment.inboxes, deployment.read);
  if (view && !is_read) view->reset();
  return view;
}

Result<std::optional<InboxView>> InboxAudit::ReadBehind(const InboxView& before,
                                                        const Delivered& events,
                                                        VerifyReport& report) {
  constexpr std::int64_t kAgainMs = 50;
  const std::int64_t patience_ms = std::exchange(stands_, false) ? 0 : kSettleMs;
  for (std::int64_t waited_ms = 0; waited_ms <= patience_ms; waited_ms += kAgainMs) {
    auto now = Read(before.head.of);
    if (!now || !*now) return now;
    if ((*now)->head.follows_at != before.head.follows_at) return std::nullopt;
    const Delivered delivered = DeliveredTo(**now);
    const bool has_come = std::ranges::all_of(events, [&](const auto& event) {
      const auto at = delivered.find(event.first);
      return at != delivered.end() && at->second >= event.second;
    });
    if (has_come) return now;
    if (!ports_.pace.Read(0)) return Fail(ErrorCode::kTimeout, "stopped");
    std::this_thread::sleep_for(std::chrono::milliseconds(kAgainMs));
  }
  stands_ = true;
  ++report.inboxes_skipped;
  return std::nullopt;
}

Result<std::vector<UserId>> InboxAudit::Followed(UserId owner) {
  const Deployment& deployment = ports_.deployment;
  const Result<Connections*> on = On(deployment.placement.ShardOf(owner));
  if (!on) return std::unexpected(on.error());
  std::set<UserId> followed;
  PageStart start;
  for (bool more = true; more;) {
    const auto page =
        (*on)->reader->Page(Direction::kFollowing, deployment.read[Direction::kFollowing], owner,
                            start, ListReader::kPageMax);
    if (!page) return std::unexpected(page.error());
    for (const ListedUser& one : *page) followed.insert(one.user);
    more = page->size() == ListReader::kPageMax;
    if (more) start.after = page->back();
  }
  return std::vector<UserId>(followed.begin(), followed.end());
}

Result<InboxAudit::InTables> InboxAudit::PostsOf(const std::vector<UserId>& authors,
                                                 const InboxEntry& floor) {
  const Deployment& deployment = ports_.deployment;
  InTables found;
  std::map<Shard, std::vector<PostStretch>> missing;
  for (const UserId author : authors) {
    missing[deployment.placement.ShardOf(author)].push_back(
        {author, PostStretch::Side::kBelow, kAboveAll});
  }
  for (auto& [shard, left] : missing) {
    const Result<Connections*> on = On(shard);
    if (!on) return std::unexpected(on.error());
    const auto posts = OpenPosts(*(*on)->reader);
    while (!left.empty()) {
      const auto end =
          left.begin() + std::min(std::ssize(left), std::ptrdiff_t{PostReader::kStretchesMax});
      const std::vector<PostStretch> asked(left.begin(), end);
      left.erase(left.begin(), end);
      const auto view = posts->Stretches(deployment.read[projections::kPosts], asked, kAskedOfEach);
      if (!view) return std::unexpected(view.error());
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const PostLanes::Lane lane =
            view->at.LaneOf(deployment.placement.PartitionOf(asked[i].author));
        if (lane.rewound) {
          return Fail(ErrorCode::kRefused, "a lane of posts was rewound and is not back");
        }
        Offset& at = found.at.try_emplace(lane.partition, lane.position).first->second;
        at = std::max(at, lane.position);
        const std::vector<PostPlace>& told = view->stretches[i];
        for (const PostPlace& place : told) {
          const InboxEntry entry{place.score, asked[i].author, place.post};
          if (entry >= floor) found.posts.insert(entry);
        }
        const bool goes_on =
            told.size() == kAskedOfEach &&
            InboxEntry{told.back().score, asked[i].author, told.back().post} > floor;
        if (goes_on) left.push_back({asked[i].author, PostStretch::Side::kBelow, told.back()});
      }
    }
  }
  return found;
}

Result<InboxAudit::Posts> InboxAudit::StillThere(const Posts& posts) {
  Posts there;
  for (const InboxEntry& entry : posts) {
    const Placement& placement = ports_.deployment.placement;
    const Result<Connections*> on = On(placement.ShardOf(entry.author));
    if (!on) return std::unexpected(on.error());
    const auto view = OpenPosts(*(*on)->reader)
                          ->One(ports_.deployment.read[projections::kPosts], entry.author,
                                placement.PartitionOf(entry.author), entry.post);
    if (!view) return std::unexpected(view.error());
    if (!view->posts.empty()) there.insert(entry);
  }
  return there;
}

}  // namespace fanfold::projector
