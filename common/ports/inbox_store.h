// Inboxes of hybrid mode on one shard: those of its owners, and which of its authors are pulled.
// They are of no generation: what says which tables they are of is their stand. Adapters: MySQL,
// SQLite; each passes tests/contract/inbox_store_contract.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/feed/inbox.h"
#include "common/ports/as.h"
#include "common/ports/lane_store.h"
#include "common/ports/projection_reader.h"

namespace fanfold {

// Names the generations that an inbox was made for: it is read where just these are, and is made
// anew where others are. `inboxes`: how often hybrid mode was turned on.
[[nodiscard]] std::string InboxStandOf(Generation inboxes, const ReadGenerations& read);

struct InboxOwner {
  Partition partition;  // of the owner's events
  UserId owner;
  friend auto operator<=>(const InboxOwner&, const InboxOwner&) = default;
};

struct InboxHead {
  InboxOwner of;
  bool made = false;  // else it is being made: delivered into, and not read
  std::string stand = {};
  // It covers the users whom the owner followed by the events of the owner's partition below this
  // one, and follows by that event still.
  Offset follows_at = {};
  InboxEntry floor = kInboxWhole;
  std::int64_t active_day = 0;  // when the owner last looked, in days since 1970 UTC
  std::int64_t maker = 0;       // who made it, or makes it; 0: nobody does
  friend bool operator==(const InboxHead&, const InboxHead&) = default;
};

// All of one read view.
struct InboxView {
  InboxHead head;
  Inbox inbox;
  bool is_damaged = false;  // the inbox lacks what some part of it said
  // By partition, in their order, the event of a post below which all is delivered.
  std::vector<std::pair<Partition, Offset>> delivered;
  // Where the owner's following stands; nothing where it folds again what it holds.
  std::optional<Offset> following;
  // Users whom the owner has followed or left since follows_at: they are not covered.
  std::vector<UserId> changed;
};

// Reads it within one statement of `following`, a generation. Nothing: there is none.
struct InboxQuestion {
  InboxOwner of;
  Generation inboxes{1};
  Generation following{1};
};

// How far a partition of a stream has been delivered, or looked at: the next record of the topic
// that is read, and the event below which all is done.
using InboxStood = AppliedPlace;

struct InboxMove {
  Generation inboxes{1};
  Partition partition;
  InboxStood from;
  InboxStood to;
};

struct PulledAuthor {
  UserId author;
  Offset since;  // the first event of the author's partition that is not delivered
};

struct InboxDelivery {
  InboxMove move;
  // By owner, unique: what the move's records bring.
  std::vector<std::pair<UserId, std::string>> parts;  // EncodeInboxPart
  // Authors of this shard, pulled by the move's records. An author who is pulled already keeps the
  // earlier `since`.
  std::vector<PulledAuthor> pulled = {};
};

struct InboxWake {
  InboxMove move;
  std::vector<UserId> owners;  // unique, of the move's partition
  std::string stand;           // of inboxes that are new
  std::int64_t day = 0;
};

struct InboxStart {
  Stream stream = streams::kPosts;
  Partition partition;
  InboxStood at;
};

// An inbox that is being made, with what the tables told of it.
struct InboxMade {
  InboxHead head;  // its maker is compared
  InboxPart part;
};

struct ActiveInbox {
  UserId owner;
  std::size_t parts = 0;  // 0: not counted
};

// Whether inboxes are read, and those of which generation.
struct InboxMode {
  Generation last{0};  // how often hybrid mode was turned on
  bool is_on = false;
  friend bool operator==(const InboxMode&, const InboxMode&) = default;
};

// Thread-compatible. Errors and blocking bound: those of LaneStore.
class InboxStore : public RowStore {
 public:
  static constexpr std::size_t kOwnersMax = 1'000;  // named at once

  // Where the partitions stand; those are missing for which these inboxes have not begun here.
  [[nodiscard]] virtual Result<std::map<Partition, InboxStood>> Stood(Generation inboxes,
                                                                      Stream stream) = 0;
  // Begins partitions there; a partition that stands somewhere already stays.
  [[nodiscard]] virtual Status Begin(Generation inboxes, std::span<const InboxStart> starts) = 0;

  // The owners who have an inbox, made or being made, in any order; with how many parts, where
  // `counts`.
  [[nodiscard]] virtual Result<std::vector<ActiveInbox>> Active(std::span<const InboxOwner> owners,
                                                                bool counts) = 0;
  // Moves the partition of post-events, adds the parts and who is pulled, or nothing. Errors:
  // kFenced, it does not stand at `from` any more.
  [[nodiscard]] virtual Status Deliver(const InboxDelivery& delivery) = 0;
  // Moves the partition of feed-events; owners without an inbox get one that is being made. Errors:
  // as Deliver.
  [[nodiscard]] virtual Status Wake(const InboxWake& wake) = 0;

  // By owner, of one partition, behind `after`.
  [[nodiscard]] virtual Result<std::vector<InboxHead>> Heads(Partition partition, UserId after,
                                                             std::size_t limit) = 0;
  [[nodiscard]] virtual Result<std::optional<InboxView>> Read(const InboxQuestion& question) = 0;
  // Owners of parts, whether or not there is a head, behind `after`, in their order.
  [[nodiscard]] virtual Result<std::vector<UserId>> OwnersOfParts(UserId after,
                                                                  std::size_t limit) = 0;
  // To be made by that one, or by whoever comes (kNobody), for that stand, with nothing in it. One
  // that is not there stays so, and has no parts.
  [[nodiscard]] virtual Status Renew(const InboxOwner& of, const std::string& stand,
                                     std::int64_t maker) = 0;
  static constexpr std::int64_t kNobody = 0;
  // Adds what was in the tables. False: it is not being made by this one any more.
  [[nodiscard]] virtual Result<bool> Join(const InboxMade& made) = 0;
  // From here on it is read. False: as Join.
  [[nodiscard]] virtual Result<bool> Finish(const InboxOwner& of, std::int64_t maker) = 0;
  // The parts of each become one, of the newest `length` entries, but where another one changes it
  // now; one that is damaged is to be made anew. At most kOwnersMax.
  [[nodiscard]] virtual Status Compact(std::span<const InboxOwner> owners, std::size_t length) = 0;
  // If its owner has not looked since before that day.
  [[nodiscard]] virtual Status Remove(const InboxOwner& of, std::int64_t before_day) = 0;
  static constexpr std::int64_t kWhenever = std::numeric_limits<std::int64_t>::max();

  // The pulled ones of these authors, by author.
  [[nodiscard]] virtual Result<std::vector<PulledAuthor>> Pulled(
      std::span<const UserId> authors) = 0;
  [[nodiscard]] virtual Status Push(UserId author) = 0;

  // Takes away some of what is left of all inboxes but these; progress first, so that nobody adds
  // to them. True: call again.
  [[nodiscard]] virtual Result<bool> Drop(std::optional<Generation> but) = 0;

  // Requires: shard 0.
  [[nodiscard]] virtual Result<InboxMode> Mode() = 0;
  [[nodiscard]] virtual Status SetMode(const InboxMode& mode) = 0;
};

// The inboxes beside a store's rows of feed state. Never null.
[[nodiscard]] inline std::unique_ptr<InboxStore> OpenInboxes(LaneStore& store) {
  return As<InboxStore>(store.OpenRows(*Projection::Find("feed"), Generation(1)));
}

}  // namespace fanfold
