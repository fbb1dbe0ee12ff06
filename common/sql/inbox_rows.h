// Inboxes as rows, whatever the database. A session of one asks
//   Each(text, take, values…)  take(row) for each row; values stand for ?1, ?2, …
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/ports/inbox_store.h"
#include "common/sql/failure.h"

namespace fanfold {

// A part as a row: of its owner, by where it came from.
struct InboxPartRow {
  UserId owner;
  std::int32_t source = 0;
  std::int64_t upto = 0;
  std::string_view bytes;
};

// Where parts come from that no partition has delivered: what was in the tables when the inbox was
// made, and what Compact made one.
inline constexpr std::int32_t kFromTables = -1;
inline constexpr std::int32_t kCompacted = -2;

inline constexpr const char* kInboxHeadColumns =
    "owner_id, made, stand, follows_at, floor_score, floor_author, floor_post, active_day, maker";

template <class Row>
[[nodiscard]] InboxHead ReadInboxHead(const Row& row, Partition partition) {
  return {.of = {partition, UserId(row.U64(0))},
          .made = row.I64(1) != 0,
          .stand = row.Text(2),
          .follows_at = Offset(row.I64(3)),
          .floor = {row.I64(4), UserId(row.U64(5)), PostId(row.U64(6))},
          .active_day = row.I64(7),
          .maker = row.I64(8)};
}

struct InboxParts {
  std::vector<InboxPart> parts;
  std::map<std::int32_t, std::int64_t> upto;  // the last of each source
  bool is_damaged = false;                    // one is left out

  void Add(std::string_view bytes) {
    Result<InboxPart> part = DecodeInboxPart(bytes);
    is_damaged = is_damaged || !part;
    if (part) parts.push_back(*std::move(part));
  }
};

// The kinds of rows of the statement that reads an inbox.
enum class InboxRow : std::uint8_t { kHead, kPart, kDelivered, kFollowing, kChanged };
// That statement: kind, and six columns that differ by it. ?1 partition, ?2 owner, ?3 inboxes, ?4
// following.
[[nodiscard]] std::string SelectInboxText(Generation following);

// In one statement, so that it is one read view.
template <class Session>
[[nodiscard]] std::optional<InboxView> ReadInbox(Session& session, const InboxQuestion& question) {
  std::optional<InboxHead> head;
  InboxView view;
  InboxParts parts;
  session.Each(
      SelectInboxText(question.following),
      [&](const auto& row) {
        switch (static_cast<InboxRow>(row.I32(0))) {
          case InboxRow::kHead:
            head = InboxHead{.of = question.of,
                             .made = row.I64(1) != 0,
                             .stand = row.Text(6),
                             .follows_at = Offset(row.I64(2)),
                             .floor = {row.I64(3), UserId(row.U64(4)), PostId(row.U64(5))}};
            break;
          case InboxRow::kPart:
            parts.Add(row.Text(6));
            break;
          case InboxRow::kDelivered:
            view.delivered.emplace_back(Partition(row.I32(1)), Offset(row.I64(2)));
            break;
          case InboxRow::kFollowing:
            if (row.I64(1) == 0) view.following = Offset(row.I64(2));
            break;
          case InboxRow::kChanged:
            view.changed.emplace_back(row.U64(4));
        }
      },
      question.of.partition.value, question.of.owner.value, question.inboxes.value,
      question.following.value);
  if (!head) return std::nullopt;
  view.head = *std::move(head);
  view.inbox = InboxOf(parts.parts, view.head.floor);
  view.is_damaged = parts.is_damaged;
  std::ranges::sort(view.delivered);
  std::ranges::sort(view.changed);
  return view;
}

// The functions below change inboxes, in a transaction; sessions are those of inbox_tables.h.

inline const std::string kSelectInbox =
    std::string("SELECT ") + kInboxHeadColumns + " FROM inboxes WHERE `partition` = ?1";
inline constexpr const char* kInsertInboxPart =
    "INSERT INTO inbox_parts (owner_id, source, upto, bytes) VALUES ";

// Locks an inbox by its head until the end of the transaction. Call before any change.
template <class Session>
[[nodiscard]] std::optional<InboxHead> LockInbox(Session& session, const InboxOwner& of) {
  std::optional<InboxHead> head;
  session.Each(
      kSelectInbox + " AND owner_id = ?2" + std::string(Session::kForUpdate),
      [&](const auto& row) { head = ReadInboxHead(row, of.partition); }, of.partition.value,
      of.owner.value);
  return head;
}

template <class Session>
void WriteInbox(Session& session, const InboxOwner& of, const std::string& stand,
                std::int64_t day) {
  session.Execute(
      "INSERT INTO inboxes (`partition`, owner_id, made, maker, stand, follows_at, floor_score, "
      "floor_author, floor_post, active_day) VALUES (?1, ?2, 0, 0, ?3, 0, ?4, ?5, ?6, ?7)",
      of.partition.value, of.owner.value, stand, kInboxWhole.score, kInboxWhole.author.value,
      kInboxWhole.post.value, day);
}

template <class Session>
void SetInboxFloor(Session& session, const InboxOwner& of, const InboxEntry& floor) {
  session.Later(
      "UPDATE inboxes SET floor_score = ?3, floor_author = ?4, floor_post = ?5 WHERE `partition` "
      "= ?1 AND owner_id = ?2",
      of.partition.value, of.owner.value, floor.score, floor.author.value, floor.post.value);
}

template <class Session>
void AddInboxPart(Session& session, UserId owner, std::int32_t source, const InboxPart& part) {
  const std::string bytes = EncodeInboxPart(part);
  const std::vector<InboxPartRow> rows = {{owner, source, 0, bytes}};
  session.AddAll(kInsertInboxPart, rows);
}

template <class Session>
void DeleteInboxParts(Session& session, UserId owner) {
  session.Execute("DELETE FROM inbox_parts WHERE owner_id = ?1", owner.value);
}

template <class Session>
void RenewInbox(Session& session, const InboxOwner& of, const std::string& stand,
                std::int64_t maker) {
  const auto met = session.Execute(
      "UPDATE inboxes SET made = 0, maker = ?3, stand = ?4, follows_at = 0, floor_score = ?5, "
      "floor_author = ?6, floor_post = ?7 WHERE `partition` = ?1 AND owner_id = ?2",
      of.partition.value, of.owner.value, maker, stand, kInboxWhole.score, kInboxWhole.author.value,
      kInboxWhole.post.value);
  if (met > 0) return DeleteInboxParts(session, of.owner);
  // The owner may look just now.
  session.Execute(
      "DELETE FROM inbox_parts WHERE owner_id = ?2 AND NOT EXISTS (SELECT 1 FROM inboxes WHERE "
      "`partition` = ?1 AND owner_id = ?2)",
      of.partition.value, of.owner.value);
}

[[nodiscard]] inline std::vector<std::array<std::uint64_t, 2>> InboxKeysOf(
    std::span<const InboxOwner> owners) {
  std::vector<std::array<std::uint64_t, 2>> keys;
  keys.reserve(owners.size());
  for (const auto& [partition, owner] : owners) {
    keys.push_back({static_cast<std::uint64_t>(partition.value), owner.value});
  }
  return keys;
}

// Locks many at once, but those that another transaction has now.
template <class Session>
[[nodiscard]] std::map<UserId, InboxHead> LockInboxes(Session& session,
                                                      std::span<const InboxOwner> owners) {
  std::map<UserId, InboxHead> heads;
  session.EachOf(std::string("SELECT ") + kInboxHeadColumns +
                     ", `partition` FROM inboxes WHERE (`partition`, owner_id) IN (?*)" +
                     std::string(Session::kForUpdateOfFree),
                 InboxKeysOf(owners), [&](const auto& row) {
                   heads[UserId(row.U64(0))] = ReadInboxHead(row, Partition(row.I32(9)));
                 });
  return heads;
}

template <class Session>
[[nodiscard]] std::map<UserId, InboxParts> PartsOf(Session& session,
                                                   std::span<const InboxOwner> owners) {
  std::vector<std::array<std::uint64_t, 1>> keys;
  keys.reserve(owners.size());
  for (const InboxOwner& of : owners) keys.push_back({of.owner.value});
  std::map<UserId, InboxParts> parts;
  session.EachOf("SELECT owner_id, source, upto, bytes FROM inbox_parts WHERE (owner_id) IN (?*)",
                 keys, [&](const auto& row) {
                   InboxParts& of = parts[UserId(row.U64(0))];
                   of.Add(row.Text(3));
                   std::int64_t& upto = of.upto[row.I32(1)];
                   upto = std::max(upto, row.I64(2));
                 });
  return parts;
}

// Parts of a source come in their order: those behind the last that was read stay.
template <class Session>
void CompactInbox(Session& session, const InboxHead& head, const InboxParts& of,
                  std::size_t length) {
  if (of.is_damaged) return RenewInbox(session, head.of, head.stand, InboxStore::kNobody);
  if (of.parts.size() < 2) return;
  Inbox inbox = InboxOf(of.parts, head.floor);
  // An inbox that is being made may still be told of a post whose deletion has come already.
  if (head.made) {
    inbox.all.deleted.clear();
    inbox.Trim(length);
  }
  const UserId owner = head.of.owner;
  for (const auto& [source, upto] : of.upto) {
    session.Later("DELETE FROM inbox_parts WHERE owner_id = ?1 AND source = ?2 AND upto <= ?3",
                  owner.value, source, upto);
  }
  AddInboxPart(session, owner, kCompacted, inbox.all);
  if (inbox.floor != head.floor) SetInboxFloor(session, head.of, inbox.floor);
}

}  // namespace fanfold
