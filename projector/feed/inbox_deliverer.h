// Delivers what becomes of posts into the inboxes of their authors' fans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "projector/feed/inbox_shards.h"
#include "projector/feed/owned_tail.h"

namespace fanfold::projector {

// The owner of an author's partition delivers; where two own it for a moment, one of them is
// fenced.
//
// An author with push_fans_max fans or more is pulled from the next post on. In place of that post
// each inbox is told so, once, and keeps to it until it is made anew. With fewer than three
// quarters of that the author is delivered again, from the next post on. Inboxes that are being
// made learn of it from the author's row. The row is written together with the deliveries to the
// author's own shard, which come first: a fenced process writes none, and no other inbox is told
// before.
//
// A rollback brings back inboxes of an earlier stand. They may cover a follow that the promoted
// generation of fans does not have yet. So nothing is delivered by a generation until it has all
// that every other generation had when this process began to read it.
//
// One thread.
class InboxDeliverer {
 public:
  // A batch has so many deliveries at the most, unless it is one record.
  static constexpr std::int64_t kDeliveriesMax = 1'000'000;
  // With so many parts an inbox is compacted; they are counted once in so many batches.
  static constexpr std::size_t kPartsMax = 32;
  static constexpr std::uint64_t kCountEvery = 8;
  static constexpr std::size_t kCompactedAtOnce = 250;

  // All outlive it.
  InboxDeliverer(const TaskPorts& ports, InboxShards& shards, const InboxLimits& limits)
      : ports_(ports), shards_(shards), limits_(limits), tail_(ports, topics::kPostOutcomes) {}

  // Takes what has come, waiting for at most timeout_ms. True: something was taken. Requires: the
  // shards are on.
  [[nodiscard]] bool Step(std::int64_t timeout_ms, std::vector<Error>& failures);
  // The inboxes that are kept are others now.
  void Forget();

  // Entries and others, since it began.
  [[nodiscard]] std::uint64_t delivered() const noexcept { return delivered_; }
  // Records that could not be read.
  [[nodiscard]] std::uint64_t unreadable() const noexcept { return unreadable_; }

 private:
  // The effect of an event on a post.
  struct Move {
    InboxStood behind;  // where a shard stands that has it
    InboxEntry entry;
    bool is_posted = false;   // else deleted
    bool moves_post = false;  // else nothing
    [[nodiscard]] Offset event() const noexcept { return Offset(behind.next_event.value - 1); }
  };
  struct Author {
    std::vector<const Move*> moves;
    std::optional<Offset> pulled_since;
    std::vector<UserId> fans;
  };
  using FanCounts = std::map<UserId, std::int64_t>;
  // How far a generation of fans has folded.
  using FansKnow = std::map<std::pair<Shard, Partition>, Offset>;
  // A batch of one partition.
  struct Batch {
    Partition partition;
    std::vector<InboxStood> from;  // by shard
    InboxStood to;
    std::map<UserId, Author> authors;
    std::vector<PulledAuthor> pulled;  // by it
  };
  // Whom a fan follows of the batch's authors.
  using Followed = std::vector<std::pair<UserId, const Author*>>;

  // Errors: kUnavailable, the generation of fans that is read does not have all that it has to.
  [[nodiscard]] Status CheckFans();
  [[nodiscard]] Result<Offset> Begin(Partition partition);
  [[nodiscard]] Status Take(Partition partition, const std::vector<LogRecord>& records);
  // A record that cannot be read is passed over and counted: was it the next, a gap tells. Errors:
  // kOutOfRange, there is a gap.
  [[nodiscard]] Result<std::vector<Move>> Read(Partition partition,
                                               const std::vector<LogRecord>& records);
  [[nodiscard]] Result<FanCounts> CountFans(std::span<const Move> moves, Shard shard);
  // How many of the moves a batch takes.
  [[nodiscard]] std::size_t Cut(std::span<const Move> moves, const FanCounts& fans) const;
  [[nodiscard]] Status Deliver(Batch& batch, const FanCounts& fans);
  // Who is pulled, and since when.
  [[nodiscard]] Status Judge(Batch& batch, const FanCounts& fans);
  [[nodiscard]] Status FindFans(Batch& batch);
  [[nodiscard]] Status DeliverTo(Shard shard, const Batch& batch);
  [[nodiscard]] Status Compact(InboxStore& store, const std::vector<ActiveInbox>& active);
  [[nodiscard]] static InboxPart PartOf(const Followed& followed, Offset from);

  const TaskPorts& ports_;
  InboxShards& shards_;
  const InboxLimits limits_;
  OwnedTail tail_;
  std::optional<FansKnow> fans_due_;  // nothing: not looked yet
  bool have_fans_come_ = false;
  std::map<Partition, std::vector<InboxStood>> stood_;  // by shard
  std::uint64_t batches_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t unreadable_ = 0;
};

}  // namespace fanfold::projector
