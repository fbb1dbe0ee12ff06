#include "projector/feed/inbox_deliverer.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/post/post_outcome.h"

namespace fanfold::projector {

bool InboxDeliverer::Step(std::int64_t timeout_ms, std::vector<Error>& failures) {
  if (const Status come = CheckFans(); !come) {
    failures.push_back(come.error());
    return false;
  }
  return tail_.Step([this](Partition partition) { return Begin(partition); },
                    [this] { return shards_.Prove(streams::kPosts); },
                    [this](Partition partition, const std::vector<LogRecord>& records) {
                      return Take(partition, records);
                    },
                    timeout_ms, failures);
}

void InboxDeliverer::Forget() {
  tail_.Forget();
  fans_due_.reset();
  have_fans_come_ = false;
}

Status InboxDeliverer::CheckFans() {
  if (have_fans_come_) return {};
  const Generation read = shards_.read()[Direction::kFans];
  FansKnow due;
  FansKnow come;
  for (std::int32_t s = 0; s < shards_.placement().shards(); ++s) {
    const Result<ProjectionReader*> reader = shards_.ReaderOf(Shard(s));
    if (!reader) return std::unexpected(reader.error());
    const auto lanes = (*reader)->Lanes();
    if (!lanes) return std::unexpected(lanes.error());
    for (const LaneStatus& status : *lanes) {
      if (status.lane.projection != ProjectionOf(Direction::kFans) || status.loading) continue;
      FansKnow& of = status.lane.generation == read ? come : due;
      Offset& known = of[{Shard(s), status.lane.partition}];
      known = std::max(known, status.folded_offset);
    }
  }
  if (!fans_due_) fans_due_ = std::move(due);
  have_fans_come_ = std::ranges::all_of(
      *fans_due_, [&come](const auto& of) { return come[of.first] >= of.second; });
  if (have_fans_come_) return {};
  return Fail(ErrorCode::kUnavailable,
              fmt::format("fans of generation {} lack what those of another one had", read.value));
}

Result<Offset> InboxDeliverer::Begin(Partition partition) {
  std::vector<InboxStood>& of_shards = stood_[partition];
  of_shards.clear();
  for (std::int32_t s = 0; s < shards_.placement().shards(); ++s) {
    const Result<InboxStore*> store = shards_.StoreOf(Shard(s));
    if (!store) return std::unexpected(store.error());
    const auto stood = (*store)->Stood(shards_.inboxes(), streams::kPosts);
    if (!stood) return std::unexpected(stood.error());
    const auto at = stood->find(partition);
    if (at == stood->end()) return std::unexpected(NotBegun(Shard(s)));
    of_shards.push_back(at->second);
  }
  return std::ranges::min(of_shards, {}, &InboxStood::next_event).next_record;
}

Status InboxDeliverer::Take(Partition partition, const std::vector<LogRecord>& records) {
  const Result<std::vector<Move>> read = Read(partition, records);
  if (!read) return std::unexpected(read.error());
  const Result<FanCounts> fans = CountFans(*read, shards_.placement().ShardOf(partition));
  if (!fans) return std::unexpected(fans.error());
  std::span<const Move> left = *read;
  while (!left.empty()) {
    const auto taken = left.first(Cut(left, *fans));
    left = left.subspan(taken.size());
    std::vector<InboxStood>& stood = stood_[partition];
    Batch batch{partition, stood, taken.back().behind, {}, {}};
    for (const Move& move : taken) {
      if (move.moves_post) batch.authors[move.entry.author].moves.push_back(&move);
    }
    if (Status delivered = Deliver(batch, *fans); !delivered) return delivered;
    for (InboxStood& shard : stood) {
      if (shard.next_event <= batch.to.next_event) shard = batch.to;
    }
  }
  return {};
}

Result<std::vector<InboxDeliverer::Move>> InboxDeliverer::Read(
    Partition partition, const std::vector<LogRecord>& records) {
  Offset next = std::ranges::min(stood_.at(partition), {}, &InboxStood::next_event).next_event;
  std::vector<Move> moves;
  moves.reserve(records.size());
  for (const LogRecord& record : records) {
    const auto outcome = ReadPostOutcomeRecord(record.value, partition, !kWholeOutcome);
    if (outcome && outcome->position.offset > next) {
      return Fail(
          ErrorCode::kOutOfRange,
          fmt::format("post-outcomes {}:{} where that of event {} is next: {}", partition.value,
                      record.offset.value, next.value, ToString(outcome->position)));
    }
    if (!outcome) ++unreadable_;
    const bool is_next = outcome && outcome->position.offset == next;
    if (is_next) next = Next(next);
    Move& move = moves.emplace_back();
    move.behind = {Next(record.offset), next};
    if (!is_next || !MovesPost(*outcome)) continue;
    move.moves_post = true;
    move.is_posted = outcome->kind == PostOutcomeKind::kPosted;
    move.entry = {outcome->score, outcome->author, outcome->post_id};
  }
  return moves;
}

Result<InboxDeliverer::FanCounts> InboxDeliverer::CountFans(std::span<const Move> moves,
                                                            Shard shard) {
  std::set<UserId> authors;
  for (const Move& move : moves) {
    if (move.moves_post) authors.insert(move.entry.author);
  }
  const Result<ProjectionReader*> reader = shards_.ReaderOf(shard);
  if (!reader) return std::unexpected(reader.error());
  FanCounts counted;
  std::vector<UserId> asked;
  for (auto at = authors.begin(); at != authors.end();) {
    asked.push_back(*at++);
    if (asked.size() < ListReader::kTargetsMax && at != authors.end()) continue;
    const auto counts = (*reader)->Counts(shards_.read(), asked);
    if (!counts) return std::unexpected(counts.error());
    for (const UserCounts& of : *counts) counted[of.user] = of.fans;
    asked.clear();
  }
  return counted;
}

std::size_t InboxDeliverer::Cut(std::span<const Move> moves, const FanCounts& fans) const {
  std::int64_t deliveries = 0;
  for (std::size_t taken = 0; taken < moves.size(); ++taken) {
    if (!moves[taken].moves_post) continue;
    deliveries += std::min(fans.at(moves[taken].entry.author), limits_.push_fans_max);
    if (taken > 0 && deliveries > kDeliveriesMax) return taken;
  }
  return moves.size();
}

Status InboxDeliverer::Deliver(Batch& batch, const FanCounts& fans) {
  if (Status judged = Judge(batch, fans); !judged) return judged;
  if (Status found = FindFans(batch); !found) return found;
  ++batches_;
  const Shard home = shards_.placement().ShardOf(batch.partition);
  if (Status delivered = DeliverTo(home, batch); !delivered) return delivered;
  for (std::int32_t s = 0; s < shards_.placement().shards(); ++s) {
    if (Shard(s) == home) continue;
    if (Status delivered = DeliverTo(Shard(s), batch); !delivered) return delivered;
  }
  return {};
}

Status InboxDeliverer::Judge(Batch& batch, const FanCounts& fans) {
  if (batch.authors.empty()) return {};
  const Result<InboxStore*> store = shards_.StoreOf(shards_.placement().ShardOf(batch.partition));
  if (!store) return std::unexpected(store.error());
  std::vector<UserId> authors;
  authors.reserve(batch.authors.size());
  for (const auto& [author, of] : batch.authors) authors.push_back(author);
  const auto pulled = (*store)->Pulled(authors);
  if (!pulled) return std::unexpected(pulled.error());
  for (const PulledAuthor& one : *pulled) batch.authors[one.author].pulled_since = one.since;
  const std::int64_t most = limits_.push_fans_max;
  // Whatever is pulled from here on no shard has been told yet.
  const Offset untold = std::ranges::max(batch.from, {}, &InboxStood::next_event).next_event;
  for (auto& [author, of] : batch.authors) {
    const std::int64_t count = fans.at(author);
    if (of.pulled_since && count < most - most / 4) {
      if (Status pushed = (*store)->Push(author); !pushed) return pushed;
      of.pulled_since.reset();
    }
    if (of.pulled_since || count < most) continue;
    const auto first = std::ranges::find_if(
        of.moves, [untold](const Move* move) { return move->event() >= untold; });
    if (first == of.moves.end()) continue;
    of.pulled_since = (*first)->event();
    batch.pulled.push_back({author, *of.pulled_since});
  }
  return {};
}

Status InboxDeliverer::FindFans(Batch& batch) {
  const Result<ProjectionReader*> reader =
      shards_.ReaderOf(shards_.placement().ShardOf(batch.partition));
  if (!reader) return std::unexpected(reader.error());
  for (auto& [author, of] : batch.authors) {
    if (of.pulled_since && of.moves.front()->event() > *of.pulled_since) continue;
    PageStart start;
    for (bool more = true; more;) {
      const auto page = (*reader)->Page(Direction::kFans, shards_.read()[Direction::kFans], author,
                                        start, ListReader::kPageMax);
      if (!page) return std::unexpected(page.error());
      std::ranges::transform(*page, std::back_inserter(of.fans), &ListedUser::user);
      more = page->size() == ListReader::kPageMax;
      if (more) start.after = page->back();
    }
  }
  return {};
}

Status InboxDeliverer::DeliverTo(Shard shard, const Batch& batch) {
  const InboxStood from = batch.from[static_cast<std::size_t>(shard.value)];
  if (from.next_event > batch.to.next_event) return {};
  const Result<InboxStore*> store = shards_.StoreOf(shard);
  if (!store) return std::unexpected(store.error());
  const Placement& placement = shards_.placement();
  std::unordered_map<UserId, Followed> fans;
  for (const auto& [author, of] : batch.authors) {
    for (const UserId fan : of.fans) {
      if (placement.ShardOf(fan) == shard) fans[fan].emplace_back(author, &of);
    }
  }
  std::vector<InboxOwner> owners;
  owners.reserve(fans.size());
  for (const auto& [fan, followed] : fans) owners.push_back({placement.PartitionOf(fan), fan});
  std::ranges::sort(owners);
  const auto active = (*store)->Active(owners, batches_ % kCountEvery == 0);
  if (!active) return std::unexpected(active.error());
  InboxDelivery delivery{{shards_.inboxes(), batch.partition, from, batch.to}, {}};
  if (shard == placement.ShardOf(batch.partition)) delivery.pulled = batch.pulled;
  std::uint64_t told = 0;
  for (const ActiveInbox& inbox : *active) {
    const InboxPart part = PartOf(fans[inbox.owner], from.next_event);
    if (part == InboxPart()) continue;
    told += part.posted.size() + part.deleted.size() + part.pulled.size();
    delivery.parts.emplace_back(inbox.owner, EncodeInboxPart(part));
  }
  std::ranges::sort(delivery.parts);
  if (Status delivered = (*store)->Deliver(delivery); !delivered) return delivered;
  delivered_ += told;
  return Compact(**store, *active);
}

Status InboxDeliverer::Compact(InboxStore& store, const std::vector<ActiveInbox>& active) {
  std::vector<InboxOwner> grown;
  for (const ActiveInbox& inbox : active) {
    if (inbox.parts >= kPartsMax) {
      grown.push_back({shards_.placement().PartitionOf(inbox.owner), inbox.owner});
    }
  }
  std::ranges::sort(grown);
  std::span<const InboxOwner> left = grown;
  while (!left.empty()) {
    const auto some = left.first(std::min(left.size(), kCompactedAtOnce));
    if (Status done = store.Compact(some, limits_.length); !done) return done;
    left = left.subspan(some.size());
  }
  return {};
}

InboxPart InboxDeliverer::PartOf(const Followed& followed, Offset from) {
  InboxPart part;
  for (const auto& [author, of] : followed) {
    for (const Move* move : of->moves) {
      const Offset event = move->event();
      if (event < from) continue;
      if (of->pulled_since && event > *of->pulled_since) break;
      if (of->pulled_since == event) {
        part.pulled.push_back(author);
      } else if (move->is_posted) {
        part.posted.push_back(move->entry);
      } else {
        part.deleted.push_back({author, move->entry.post});
      }
    }
  }
  return part;
}

}  // namespace fanfold::projector
