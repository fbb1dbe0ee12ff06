// The tables of inboxes, whatever the database. A database gives
//   Read(work), Write(work)    work(session), of one connection; Write's is one transaction, which
//                              an exception undoes. Both answer a Result of what work does.
// and its session
//   Each(text, take, values…)  take(row) for each row; values stand for ?1, ?2, …
//   Execute(text, values…)     how many rows it changed, or matched to change
//   EachOf(text, keys, take)   as Each, for a list of keys in place of ?*, in any order
//   Later(text, values…)       as Execute, before the next of the others or the end
//   AddAll(text, rows)         rows of parts behind INSERT … VALUES
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

#include "common/sql/catalog_rows.h"
#include "common/sql/inbox_rows.h"

namespace fanfold {

template <class Database>
class InboxTables final : public InboxStore {
 public:
  explicit InboxTables(Database database) : database_(std::move(database)) {}

  Result<std::map<Partition, InboxStood>> Stood(Generation inboxes, Stream stream) override {
    return database_.Read([&](auto& session) {
      std::map<Partition, InboxStood> stood;
      session.Each(
          "SELECT `partition`, next_record, next_event FROM inbox_progress WHERE epoch = ?1 AND "
          "stream = ?2",
          [&](const auto& row) {
            stood[Partition(row.I32(0))] = {Offset(row.I64(1)), Offset(row.I64(2))};
          },
          inboxes.value, stream.name());
      return stood;
    });
  }

  Status Begin(Generation inboxes, std::span<const InboxStart> starts) override {
    return database_.Write([&](auto& session) {
      for (const InboxStart& start : starts) {
        // Without a table named MySQL takes no WHERE.
        session.Execute(
            "INSERT INTO inbox_progress (epoch, stream, `partition`, next_record, next_event) "
            "SELECT ?1, ?2, ?3, ?4, ?5 FROM (SELECT 1) one WHERE NOT EXISTS (SELECT 1 FROM "
            "inbox_progress WHERE epoch = ?1 AND stream = ?2 AND `partition` = ?3)",
            inboxes.value, start.stream.name(), start.partition.value, start.at.next_record.value,
            start.at.next_event.value);
      }
    });
  }

  Result<std::vector<ActiveInbox>> Active(std::span<const InboxOwner> owners,
                                          bool counts) override {
    return database_.Read([&](auto& session) {
      std::vector<ActiveInbox> active;
      session.EachOf(
          std::string("SELECT owner_id, ") +
              (counts ? "(SELECT COUNT(*) FROM inbox_parts p WHERE p.owner_id = h.owner_id)"
                      : "0") +
              " FROM inboxes h WHERE (`partition`, owner_id) IN (?*)",
          InboxKeysOf(owners), [&](const auto& row) {
            active.push_back({UserId(row.U64(0)), static_cast<std::size_t>(row.I64(1))});
          });
      return active;
    });
  }

  Status Deliver(const InboxDelivery& delivery) override {
    return database_.Write([&](auto& session) {
      Move(session, streams::kPosts, delivery.move);
      std::vector<InboxPartRow> rows;
      rows.reserve(delivery.parts.size());
      for (const auto& [owner, bytes] : delivery.parts) {
        rows.push_back(
            {owner, delivery.move.partition.value, delivery.move.to.next_event.value, bytes});
      }
      session.AddAll(kInsertInboxPart, rows);
      for (const PulledAuthor& author : delivery.pulled) {
        session.Execute(
            "INSERT INTO inbox_pulled (author_id, since) SELECT ?1, ?2 FROM (SELECT 1) one WHERE "
            "NOT EXISTS (SELECT 1 FROM inbox_pulled WHERE author_id = ?1)",
            author.author.value, author.since.value);
      }
    });
  }

  Status Wake(const InboxWake& wake) override {
    return database_.Write([&](auto& session) {
      Move(session, streams::kFeeds, wake.move);
      for (const UserId owner : wake.owners) {
        const auto met = session.Execute(
            "UPDATE inboxes SET active_day = ?3 WHERE `partition` = ?1 AND owner_id = ?2",
            wake.move.partition.value, owner.value, wake.day);
        if (met > 0) continue;
        // Left by a delivery that came when the one before was gone.
        DeleteInboxParts(session, owner);
        WriteInbox(session, {wake.move.partition, owner}, wake.stand, wake.day);
      }
    });
  }

  Result<std::vector<InboxHead>> Heads(Partition partition, UserId after,
                                       std::size_t limit) override {
    return database_.Read([&](auto& session) {
      std::vector<InboxHead> heads;
      session.Each(
          kSelectInbox + " AND owner_id > ?2 ORDER BY owner_id LIMIT ?3",
          [&](const auto& row) { heads.push_back(ReadInboxHead(row, partition)); }, partition.value,
          after.value, limit);
      return heads;
    });
  }

  Result<std::optional<InboxView>> Read(const InboxQuestion& question) override {
    return database_.Read([&](auto& session) { return ReadInbox(session, question); });
  }

  Result<std::vector<UserId>> OwnersOfParts(UserId after, std::size_t limit) override {
    return database_.Read([&](auto& session) {
      std::vector<UserId> owners;
      session.Each(
          "SELECT owner_id FROM inbox_parts WHERE owner_id > ?1 GROUP BY owner_id ORDER BY "
          "owner_id LIMIT ?2",
          [&](const auto& row) { owners.emplace_back(row.U64(0)); }, after.value, limit);
      return owners;
    });
  }

  Status Renew(const InboxOwner& of, const std::string& stand, std::int64_t maker) override {
    return database_.Write([&](auto& session) { RenewInbox(session, of, stand, maker); });
  }

  Result<bool> Join(const InboxMade& made) override {
    return database_.Write([&](auto& session) {
      const InboxOwner& of = made.head.of;
      const std::optional<InboxHead> head = LockInbox(session, of);
      if (!head || head->made || head->maker != made.head.maker) return false;
      session.Execute("DELETE FROM inbox_parts WHERE owner_id = ?1 AND source = ?2", of.owner.value,
                      kFromTables);
      AddInboxPart(session, of.owner, kFromTables, made.part);
      SetInboxFloor(session, of, made.head.floor);
      session.Execute("UPDATE inboxes SET follows_at = ?3 WHERE `partition` = ?1 AND owner_id = ?2",
                      of.partition.value, of.owner.value, made.head.follows_at.value);
      return true;
    });
  }

  Result<bool> Finish(const InboxOwner& of, std::int64_t maker) override {
    return database_.Write([&](auto& session) {
      return session.Execute(
                 "UPDATE inboxes SET made = 1 WHERE `partition` = ?1 AND owner_id = ?2 AND made = "
                 "0 AND maker = ?3",
                 of.partition.value, of.owner.value, maker) > 0;
    });
  }

  Status Compact(std::span<const InboxOwner> owners, std::size_t length) override {
    return database_.Write([&](auto& session) {
      const std::map<UserId, InboxHead> heads = LockInboxes(session, owners);
      std::map<UserId, InboxParts> parts = PartsOf(session, owners);
      for (const auto& [owner, head] : heads) CompactInbox(session, head, parts[owner], length);
    });
  }

  Status Remove(const InboxOwner& of, std::int64_t before_day) override {
    return database_.Write([&](auto& session) {
      const auto met = session.Execute(
          "DELETE FROM inboxes WHERE `partition` = ?1 AND owner_id = ?2 AND active_day < ?3",
          of.partition.value, of.owner.value, before_day);
      if (met > 0) DeleteInboxParts(session, of.owner);
    });
  }

  Result<std::vector<PulledAuthor>> Pulled(std::span<const UserId> authors) override {
    return database_.Read([&](auto& session) {
      std::vector<PulledAuthor> pulled;
      std::vector<std::array<std::uint64_t, 1>> keys;
      keys.reserve(authors.size());
      for (const UserId author : authors) keys.push_back({author.value});
      session.EachOf(
          "SELECT author_id, since FROM inbox_pulled WHERE (author_id) IN (?*)", keys,
          [&](const auto& row) { pulled.push_back({UserId(row.U64(0)), Offset(row.I64(1))}); });
      std::ranges::sort(pulled, {}, &PulledAuthor::author);
      return pulled;
    });
  }

  Status Push(UserId author) override {
    return database_.Write([&](auto& session) {
      session.Execute("DELETE FROM inbox_pulled WHERE author_id = ?1", author.value);
    });
  }

  Result<bool> Drop(std::optional<Generation> but) override {
    const std::int32_t kept = but ? but->value : 0;
    const std::string stands = std::to_string(kept) + "/%";
    return database_.Write([&](auto& session) {
      session.Execute("DELETE FROM inbox_progress WHERE epoch <> ?1", kept);
      std::vector<std::pair<std::int32_t, std::uint64_t>> some;
      session.Each(
          "SELECT `partition`, owner_id FROM inboxes WHERE stand NOT LIKE ?1 LIMIT ?2",
          [&](const auto& row) { some.emplace_back(row.I32(0), row.U64(1)); }, stands, kOwnersMax);
      for (const auto& [partition, owner] : some) {
        session.Execute("DELETE FROM inboxes WHERE `partition` = ?1 AND owner_id = ?2", partition,
                        owner);
        DeleteInboxParts(session, UserId(owner));
      }
      if (some.empty() && !but) session.Execute("DELETE FROM inbox_parts");
      return !some.empty();
    });
  }

  Result<InboxMode> Mode() override {
    return database_.Read([&](auto& session) {
      InboxMode mode;
      session.Each(
          "SELECT generation FROM catalog_reads WHERE projection = ?1",
          [&](const auto& row) { mode = ModeOf(row.I32(0)); }, kInboxesRead);
      return mode;
    });
  }

  Status SetMode(const InboxMode& mode) override {
    const std::int32_t number = mode.is_on ? mode.last.value : -mode.last.value;
    return database_.Write([&](auto& session) {
      const auto met = session.Execute(
          "UPDATE catalog_reads SET generation = ?2 WHERE projection = ?1", kInboxesRead, number);
      if (met > 0) return;
      session.Execute("INSERT INTO catalog_reads (projection, generation) VALUES (?1, ?2)",
                      kInboxesRead, number);
    });
  }

 private:
  template <class Session>
  static void Move(Session& session, Stream stream, const InboxMove& move) {
    const auto met = session.Execute(
        "UPDATE inbox_progress SET next_record = ?4, next_event = ?5 WHERE epoch = ?1 AND stream = "
        "?2 AND `partition` = ?3 AND next_record = ?6 AND next_event = ?7",
        move.inboxes.value, stream.name(), move.partition.value, move.to.next_record.value,
        move.to.next_event.value, move.from.next_record.value, move.from.next_event.value);
    if (met == 0) throw Failure(ErrorCode::kFenced, "inboxes: another one has moved the partition");
  }

  Database database_;
};

}  // namespace fanfold
