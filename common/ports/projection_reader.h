// Questions about the tables of one shard. Adapters: MySQL, SQLite; each passes
// tests/contract/projection_reader_contract.h. Every question is one statement on a declared index.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/ports/edge_store.h"
#include "common/ports/lane.h"
#include "common/relation/cursor.h"
#include "common/relation/direction.h"
#include "common/stream/ids.h"
#include "common/stream/slot.h"

namespace fanfold {

// The generation of each projection that is read.
class ReadGenerations {
 public:
  // The first of each.
  constexpr ReadGenerations() noexcept { SetAll(Generation(1)); }
  // In the order of the registry; the first of those that are not named.
  constexpr ReadGenerations(std::initializer_list<Generation> of) noexcept : ReadGenerations() {
    std::ranges::copy(of, of_.begin());
  }
  constexpr void SetAll(Generation generation) noexcept { of_.fill(generation); }

  [[nodiscard]] constexpr Generation& operator[](Projection projection) noexcept {
    return of_[projection.index()];
  }
  [[nodiscard]] constexpr Generation operator[](Projection projection) const noexcept {
    return of_[projection.index()];
  }
  [[nodiscard]] constexpr Generation operator[](Direction list) const noexcept {
    return (*this)[ProjectionOf(list)];
  }
  friend bool operator==(const ReadGenerations&, const ReadGenerations&) = default;

 private:
  std::array<Generation, kProjections.size()> of_;
};

// The deployment as its tables say it, on shard 0, read as one.
struct Catalog {
  ReadGenerations read;
  Shape shape;
  SlotMapId slot_map = kFirstSlotMap;                // of all that is read
  std::optional<Generation> inboxes = std::nullopt;  // of hybrid mode; nothing: feeds are pulled
  std::optional<std::string> log = std::nullopt;     // EventLog::Id; nothing: nobody has named it
};

// Where a page begins: after a cursor, or past `offset` entries; never both.
struct PageStart {
  std::optional<Cursor> after;
  std::int64_t offset = 0;
};

struct UserCounts {
  UserId user;
  std::int64_t following = 0;
  std::int64_t fans = 0;
  std::int64_t friends = 0;
  friend bool operator==(const UserCounts&, const UserCounts&) = default;
};

struct Directions {
  bool follows = false;
  bool followed_by = false;
  friend bool operator==(const Directions&, const Directions&) = default;
};

// How far one read view of a shard has come, for one user.
struct ViewPosition {
  Offset following;          // the user's following has all events of the user's partition below it
  std::vector<Offset> fans;  // by partition: the user's fans have all events below it; missing: 0
  std::uint64_t repair_mark = 0;  // of the shard's latest repair; 0: none yet
  // A lane of the list was rewound and has not come back: some rows are newer than its position.
  bool following_rewound = false;
  bool fans_rewound = false;
};

// One question about a user's list: the newest `limit` rows, behind `after`, of `among` only.
struct ListQuestion {
  Direction list = Direction::kFollowing;
  std::optional<Cursor> after;
  std::size_t limit = 0;
  std::vector<UserId> among;  // not together with `after`; empty: everybody
};

struct UserView {
  ViewPosition position;
  EdgeCount following;  // as the counts' rows say
  EdgeCount fans;
  std::vector<std::vector<ListedUser>> answers;  // one a question, newest first
};

// The user's lists that are asked for whole; `partition` is that of the user's own events.
struct WholeLists {
  UserId user;
  Partition partition;
  bool following = false;
  bool fans = false;
};

// How many rows lists may have to be told.
struct WholeListsLimit {
  std::size_t each = 0;
  std::size_t together = 0;  // of one direction; whose lists come later, by user, are not told
};

// Whole lists, newest first; nothing where one is not asked for, or is too long.
struct WholeView {
  ViewPosition position;  // of the lists that are asked for
  std::optional<std::vector<ListedUser>> following;
  std::optional<std::vector<ListedUser>> fans;
};

// One row, active or not, with what it is judged by: all of one read view.
struct EdgeView {
  std::optional<Edge> edge;        // nothing: there is no row
  EdgeCount count;                 // of the user whose list it stands in, as the counts' row says
  std::optional<Offset> position;  // every event of the partition below it is in the table;
                                   // nothing: there is no lane
  bool rewound = false;            // the row may be newer than the position
  friend bool operator==(const EdgeView&, const EdgeView&) = default;
};

// A user's list that somebody mended beside the lanes.
struct RepairRow {
  std::uint64_t mark = 0;
  Projection projection;
  Generation generation{1};
  UserId user;
  friend bool operator==(const RepairRow&, const RepairRow&) = default;
};

struct LaneStatus {
  LaneId lane;
  bool deciding = kApplying;
  LaneState state = LaneState::kRunning;
  std::string state_reason;
  std::string owner;
  std::uint64_t owner_epoch = 0;
  LaneProgress progress;
  std::int64_t updated_ms = 0;  // the database's clock
  bool loading = false;         // a rebuild loads its generation: rows without counts and pages
  LoadProgress load;            // of a generation that is loading; known on shard 0
  Offset folded_offset;         // as far as it has ever come: every row is of an event below it
  SlotMapId slot_map = kFirstSlotMap;  // of its generation
};

// Does the lane fold again what its rows hold already? Then they are those of no one position.
[[nodiscard]] constexpr bool IsRewound(const LaneStatus& status) noexcept {
  return status.progress.event_offset < status.folded_offset;
}

// Questions about lists of users. Thread-compatible.
class ListReader {
 public:
  static constexpr std::size_t kPageMax = 1000;     // rows asked for at once
  static constexpr std::size_t kTargetsMax = 1000;  // users named in one question

  virtual ~ListReader() = default;

  // One page of a user's list, newest first: at most `limit` active rows.
  [[nodiscard]] virtual Result<std::vector<ListedUser>> Page(Direction list, Generation generation,
                                                             UserId user, const PageStart& start,
                                                             std::size_t limit) = 0;

  // The users in both lists; a friend's since is the later of the two. Sorted and paged by it.
  [[nodiscard]] virtual Result<std::vector<ListedUser>> FriendsPage(const ReadGenerations& read,
                                                                    UserId user,
                                                                    const PageStart& start,
                                                                    std::size_t limit) = 0;

  // The users of `others` who are in the user's list, newest first.
  [[nodiscard]] virtual Result<std::vector<ListedUser>> Among(Direction list, Generation generation,
                                                              UserId user,
                                                              std::span<const UserId> others) = 0;

  // In the order asked, zeros where there is nothing.
  [[nodiscard]] virtual Result<std::vector<UserCounts>> Counts(const ReadGenerations& read,
                                                               std::span<const UserId> users) = 0;

  // In the order asked, both directions seen from `user`. Repeats in `targets` are fine.
  [[nodiscard]] virtual Result<std::vector<Directions>> Relations(
      const ReadGenerations& read, UserId user, std::span<const UserId> targets) = 0;
};

// Work that rows say is begun and not done, beside the lanes.
struct OpenWork {
  std::string_view what = "";  // "accounts that are being erased"
  std::int64_t count = 0;
  std::int64_t oldest_ms = 0;  // when the oldest of it was asked for, ms since 1970 UTC; 0: none is
};

// More questions to a projection's rows: each kind of rows has its own.
class RowReader {
 public:
  virtual ~RowReader() = default;
  // Errors: those of ProjectionReader.
  [[nodiscard]] virtual Result<OpenWork> Open() { return OpenWork(); }
};

// One instance is one connection. Calls block for at most statement_timeout_ms of the adapter.
// Errors: kUnavailable (and kConflict, kTimeout): ask again; kRefused: tables missing.
class ProjectionReader : public ListReader {
 public:
  static constexpr std::size_t kViewRowsMax = 20'000;  // rows of one question of a view

  // Answers to these questions and both counts of one user, with the positions they are of: all of
  // one read view. `partition` is that of the user's own events.
  [[nodiscard]] virtual Result<UserView> View(const ReadGenerations& read, UserId user,
                                              Partition partition,
                                              std::span<const ListQuestion> questions) = 0;

  // Whole lists of these users, unique, at most kTargetsMax, in their order; those of one user are
  // of one read view.
  [[nodiscard]] virtual Result<std::vector<WholeView>> Lists(const ReadGenerations& read,
                                                             std::span<const WholeLists> asked,
                                                             const WholeListsLimit& limit);

  // Reads a projection whose rows are no lists, through this connection, which outlives it. Null
  // where its kind has no such questions.
  [[nodiscard]] virtual std::unique_ptr<RowReader> OpenRows(Projection projection);

  // The row of `key`, where it stands after the events of `partition`: that of the edge's subject.
  [[nodiscard]] virtual Result<EdgeView> EdgeAt(Direction list, Generation generation,
                                                const EdgeKey& key, Partition partition) = 0;

  // Repairs of this shard with a mark above `after`, by mark, at most `limit`.
  [[nodiscard]] virtual Result<std::vector<RepairRow>> RepairsAfter(std::uint64_t after,
                                                                    std::size_t limit) = 0;

  // Every lane of this shard, by projection, generation, partition.
  [[nodiscard]] virtual Result<std::vector<LaneStatus>> Lanes() = 0;

  // Parked records of this shard by lane and offset, after `after`, at most `limit`.
  [[nodiscard]] virtual Result<std::vector<ParkedRow>> Parked(
      Projection projection, std::optional<std::pair<Partition, Offset>> after,
      std::size_t limit) = 0;
  [[nodiscard]] virtual Result<std::optional<ParkedRow>> ParkedAt(Projection projection,
                                                                  Partition partition,
                                                                  Offset offset) = 0;

  // Errors: kRefused, there is none: it stands on shard 0 alone; or the tables are an earlier
  // build's.
  [[nodiscard]] virtual Result<Catalog> ReadCatalog() = 0;

  // As it stands, slots without a shard on shard −1. Requires: shard 0. Errors: kRefused, there is
  // none of this id; or the tables are an earlier build's.
  [[nodiscard]] virtual Result<SlotMap> ReadSlotMap(SlotMapId id) = 0;

  [[nodiscard]] virtual Status Ping() = 0;
};

}  // namespace fanfold
