#include "common/mysql/reader_queries.h"

#include <array>
#include <fmt/format.h>
#include <iterator>
#include <vector>

#include "common/mysql/index_names.h"
#include "common/mysql/lane_extras.h"
#include "common/mysql/lane_rows.h"
#include "common/mysql/sql_text.h"
#include "common/sql/catalog_rows.h"
#include "common/sql/lane_status.h"
#include "common/sql/schema_identity.h"
#include "common/sql/table_names.h"
#include "common/sql/view_rows.h"

namespace fanfold::mysql {
namespace {

std::string Ids(std::span<const UserId> users) {
  std::string ids;
  AppendList(ids, users, ",",
             [](std::string& text, UserId user) { AppendNumber(text, user.value); });
  return ids;
}

std::string LimitOf(const PageStart& start, std::size_t limit) {
  return start.offset == 0 ? fmt::format(" LIMIT {}", limit)
                           : fmt::format(" LIMIT {} OFFSET {}", limit, start.offset);
}

}  // namespace

ReaderQuery PageQuery(Direction list, Generation generation, UserId user, const PageStart& start,
                      std::size_t limit) {
  static constexpr std::array kUses = {IndexUse{"e", kPageIndex}};
  const TableNames tables = TablesOf(list, generation);
  std::string sql = fmt::format(
      "SELECT e.{0}, e.since_ms FROM {1} e FORCE INDEX ({2}) WHERE e.user_id = {3} AND e.active = "
      "1",
      tables.other, tables.edges, kPageIndex, user.value);
  if (start.after) {
    // Two ranges of the index, read backwards one after the other: no row is read that is not
    // wanted, however many share the cursor's since.
    fmt::format_to(std::back_inserter(sql),
                   " AND (e.since_ms < {0} OR (e.since_ms = {0} AND e.{1} < {2}))",
                   start.after->since_ms, tables.other, start.after->user.value);
  }
  fmt::format_to(std::back_inserter(sql), " ORDER BY e.since_ms DESC, e.{} DESC{}", tables.other,
                 LimitOf(start, limit));
  return {std::move(sql), kUses};
}

ReaderQuery FriendsPageQuery(const ReadGenerations& read, UserId user, const PageStart& start,
                             std::size_t limit) {
  static constexpr std::array kUses = {IndexUse{"f", kPageIndex}, IndexUse{"b", kPrimaryIndex}};
  const TableNames following = TablesOf(Direction::kFollowing, read[Direction::kFollowing]);
  const TableNames fans = TablesOf(Direction::kFans, read[Direction::kFans]);
  // The user's following is the small side, bounded by the follow limit.
  std::string sql = fmt::format(
      "SELECT f.target_id, GREATEST(f.since_ms, b.since_ms) AS since FROM {} f FORCE INDEX ({}) "
      "STRAIGHT_JOIN {} b FORCE INDEX ({}) ON b.user_id = {} AND b.fan_id = f.target_id "
      "WHERE f.user_id = {} AND f.active = 1 AND b.active = 1",
      following.edges, kPageIndex, fans.edges, kPrimaryIndex, user.value, user.value);
  if (start.after) {
    fmt::format_to(std::back_inserter(sql),
                   " AND (GREATEST(f.since_ms, b.since_ms) < {0} OR "
                   "(GREATEST(f.since_ms, b.since_ms) = {0} AND f.target_id < {1}))",
                   start.after->since_ms, start.after->user.value);
  }
  sql += " ORDER BY since DESC, f.target_id DESC" + LimitOf(start, limit);
  return {std::move(sql), kUses};
}

ReaderQuery AmongQuery(Direction list, Generation generation, UserId user,
                       std::span<const UserId> others) {
  static constexpr std::array kUses = {IndexUse{"e", kPrimaryIndex}};
  const TableNames tables = TablesOf(list, generation);
  return {fmt::format("SELECT e.{0}, e.since_ms FROM {1} e FORCE INDEX ({2}) WHERE e.user_id = {3} "
                      "AND e.{0} IN ({4}) AND e.active = 1 ORDER BY e.since_ms DESC, e.{0} DESC",
                      tables.other, tables.edges, kPrimaryIndex, user.value, Ids(others)),
          kUses};
}

ReaderQuery CountsQuery(const ReadGenerations& read, std::span<const UserId> users) {
  static constexpr std::array kUses = {IndexUse{"fc", kPrimaryIndex}, IndexUse{"bc", kPrimaryIndex},
                                       IndexUse{"f", kPageIndex}, IndexUse{"b", kPrimaryIndex}};
  const TableNames following = TablesOf(Direction::kFollowing, read[Direction::kFollowing]);
  const TableNames fans = TablesOf(Direction::kFans, read[Direction::kFans]);
  const std::string ids = Ids(users);
  std::string sql;
  const auto append_stored = [&](CountKind kind, std::string_view alias, const TableNames& tables) {
    fmt::format_to(
        std::back_inserter(sql),
        "SELECT {0}, {1}.user_id, {1}.n FROM {2} {1} FORCE INDEX ({3}) WHERE {1}.user_id "
        "IN ({4}) UNION ALL ",
        static_cast<int>(kind), alias, tables.counts, kPrimaryIndex, ids);
  };
  append_stored(CountKind::kFollowing, "fc", following);
  append_stored(CountKind::kFans, "bc", fans);
  fmt::format_to(
      std::back_inserter(sql),
      "SELECT {}, f.user_id, COUNT(*) FROM {} f FORCE INDEX ({}) STRAIGHT_JOIN {} b FORCE "
      "INDEX ({}) ON b.user_id = f.user_id AND b.fan_id = f.target_id WHERE f.user_id IN "
      "({}) AND f.active = 1 AND b.active = 1 GROUP BY f.user_id",
      static_cast<int>(CountKind::kFriends), following.edges, kPageIndex, fans.edges, kPrimaryIndex,
      ids);
  return {std::move(sql), kUses};
}

ReaderQuery RelationsQuery(const ReadGenerations& read, UserId user,
                           std::span<const UserId> targets) {
  static constexpr std::array kUses = {IndexUse{"f", kPrimaryIndex}, IndexUse{"b", kPrimaryIndex}};
  const TableNames following = TablesOf(Direction::kFollowing, read[Direction::kFollowing]);
  const TableNames fans = TablesOf(Direction::kFans, read[Direction::kFans]);
  const std::string ids = Ids(targets);
  return {fmt::format("SELECT {}, f.target_id FROM {} f FORCE INDEX ({}) WHERE f.user_id = {} AND "
                      "f.target_id IN ({}) AND f.active = 1 UNION ALL "
                      "SELECT {}, b.fan_id FROM {} b FORCE INDEX ({}) WHERE b.user_id = {} AND "
                      "b.fan_id IN ({}) AND b.active = 1",
                      static_cast<int>(Direction::kFollowing), following.edges, kPrimaryIndex,
                      user.value, ids, static_cast<int>(Direction::kFans), fans.edges,
                      kPrimaryIndex, user.value, ids),
          kUses};
}

ReaderQuery ViewQuery(const ReadGenerations& read, UserId user, Partition partition,
                      std::span<const ListQuestion> questions) {
  static constexpr std::array kUses = {IndexUse{"fc", kPrimaryIndex}, IndexUse{"bc", kPrimaryIndex},
                                       IndexUse{"lf", kPrimaryIndex}, IndexUse{"lb", kPrimaryIndex},
                                       IndexUse{"e", kPageIndex}};
  // Every statement has one read view. The columns have the types of an id and of a time.
  std::string sql;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const ListQuestion& question = questions[i];
    const Generation generation = read[question.list];
    const ReaderQuery rows =
        question.among.empty()
            ? PageQuery(question.list, generation, user, {question.after, 0}, question.limit)
            : AmongQuery(question.list, generation, user, question.among);
    fmt::format_to(std::back_inserter(sql), "SELECT {}, q.* FROM ({}) q UNION ALL ", i, rows.sql);
  }
  const auto append_count = [&](ViewRow kind, std::string_view alias, const TableNames& tables) {
    fmt::format_to(std::back_inserter(sql),
                   "SELECT {0}, {1}.user_id, {1}.n FROM {2} {1} FORCE INDEX ({3}) WHERE "
                   "{1}.user_id = {4} UNION ALL ",
                   static_cast<int>(kind), alias, tables.counts, kPrimaryIndex, user.value);
  };
  append_count(ViewRow::kFollowingCount, "fc",
               TablesOf(Direction::kFollowing, read[Direction::kFollowing]));
  append_count(ViewRow::kFansCount, "bc", TablesOf(Direction::kFans, read[Direction::kFans]));
  fmt::format_to(
      std::back_inserter(sql),
      "SELECT IF(lf.event_offset < lf.folded_offset, {7}, {0}), CAST(lf.`partition` AS UNSIGNED), "
      "lf.event_offset FROM progress lf FORCE INDEX ({1}) WHERE lf.projection = '{9}' AND "
      "lf.generation = {2} AND lf.`partition` = {3} UNION ALL "
      "SELECT IF(lb.event_offset < lb.folded_offset, {8}, {4}), CAST(lb.`partition` AS UNSIGNED), "
      "lb.event_offset FROM progress lb FORCE INDEX ({1}) WHERE lb.projection = '{10}' AND "
      "lb.generation = {5} UNION ALL SELECT {6}, COALESCE(MAX(r.mark), 0), 0 FROM repairs r",
      static_cast<int>(ViewRow::kFollowingPosition), kPrimaryIndex,
      read[Direction::kFollowing].value, partition.value, static_cast<int>(ViewRow::kFansPosition),
      read[Direction::kFans].value, static_cast<int>(ViewRow::kRepairMark),
      static_cast<int>(ViewRow::kFollowingRewound), static_cast<int>(ViewRow::kFansRewound),
      ToString(ProjectionOf(Direction::kFollowing)), ToString(ProjectionOf(Direction::kFans)));
  return {std::move(sql), kUses};
}

ReaderQuery ListsQuery(const ReadGenerations& read, std::span<const WholeLists> asked,
                       std::size_t rows_max) {
  static constexpr std::array kUses = {IndexUse{"f", kPageIndex}, IndexUse{"lf", kPrimaryIndex},
                                       IndexUse{"b", kPageIndex}, IndexUse{"lb", kPrimaryIndex}};
  // Every statement has one read view.
  std::string sql;
  const auto append = [&](Direction list, std::span<const UserId> users, std::string_view alias,
                          std::string_view lanes) {
    if (users.empty()) return;
    const Generation generation = read[list];
    const TableNames tables = TablesOf(list, generation);
    fmt::format_to(std::back_inserter(sql),
                   "(SELECT {0}, {1}.user_id, {1}.{2}, {1}.since_ms FROM {3} {1} FORCE INDEX ({4}) "
                   "WHERE {1}.user_id IN ({5}) AND {1}.active = 1 ORDER BY {1}.user_id LIMIT {6}) "
                   "UNION ALL ",
                   static_cast<int>(list), alias, tables.other, tables.edges, kPageIndex,
                   Ids(users), rows_max + 1);
    fmt::format_to(std::back_inserter(sql),
                   "SELECT -{0}, CAST(l{1}.`partition` AS UNSIGNED), l{1}.event_offset < "
                   "l{1}.folded_offset, l{1}.event_offset FROM progress l{1} FORCE INDEX ({2}) "
                   "WHERE l{1}.projection = '{3}' AND l{1}.generation = {4}{5} UNION ALL ",
                   static_cast<int>(list), alias, kPrimaryIndex, ToString(ProjectionOf(list)),
                   generation.value, lanes);
  };
  std::vector<UserId> subjects;
  std::vector<UserId> objects;
  std::string own_lanes = " AND lf.`partition` IN (";
  for (const WholeLists& lists : asked) {
    if (lists.following) {
      if (!subjects.empty()) own_lanes += ',';
      AppendNumber(own_lanes, lists.partition.value);
      subjects.push_back(lists.user);
    }
    if (lists.fans) objects.push_back(lists.user);
  }
  append(Direction::kFollowing, subjects, "f", own_lanes + ")");
  append(Direction::kFans, objects, "b", "");
  sql += "SELECT 0, COALESCE(MAX(r.mark), 0), 0, 0 FROM repairs r";
  return {std::move(sql), kUses};
}

ReaderQuery EdgeAtQuery(Direction list, Generation generation, const EdgeKey& key,
                        Partition partition) {
  static constexpr std::array kUses = {IndexUse{"e", kPrimaryIndex}, IndexUse{"c", kPrimaryIndex},
                                       IndexUse{"l", kPrimaryIndex}};
  const TableNames tables = TablesOf(list, generation);
  return {fmt::format(
              "SELECT {0}, e.active, e.since_ms, e.version FROM {1} e FORCE INDEX ({2}) "
              "WHERE e.user_id = {3} AND e.{4} = {5} UNION ALL "
              "SELECT {6}, c.n, 0, 0 FROM {7} c FORCE INDEX ({2}) WHERE c.user_id = {3} "
              "UNION ALL SELECT {8}, l.event_offset, l.event_offset < l.folded_offset, 0 FROM "
              "progress l FORCE INDEX ({2}) WHERE l.projection = '{9}' AND l.generation = {10} AND "
              "l.`partition` = {11}",
              static_cast<int>(EdgeViewRow::kEdge), tables.edges, kPrimaryIndex, key.user.value,
              tables.other, key.other.value, static_cast<int>(EdgeViewRow::kCount), tables.counts,
              static_cast<int>(EdgeViewRow::kPosition), ToString(ProjectionOf(list)),
              generation.value, partition.value),
          kUses};
}

ReaderQuery RepairsQuery(std::uint64_t after, std::size_t limit) {
  static constexpr std::array kUses = {IndexUse{"r", kPrimaryIndex}};
  return {fmt::format("SELECT r.mark, r.projection, r.generation, r.user_id FROM repairs r FORCE "
                      "INDEX ({}) WHERE r.mark > {} ORDER BY r.mark LIMIT {}",
                      kPrimaryIndex, after, limit),
          kUses};
}

ReaderQuery LanesQuery() {
  static constexpr std::array kUses = {IndexUse{"l", kPrimaryIndex}, IndexUse{"g", kPrimaryIndex},
                                       IndexUse{"i", kPrimaryIndex}};
  return {fmt::format("SELECT {0}, {1}, {2} FROM progress l FORCE INDEX ({3}) LEFT JOIN "
                      "schema_identity i FORCE INDEX ({3}) ON i.id = 1 WHERE {4} ORDER BY "
                      "projection, generation, `partition`",
                      kLaneColumns, kLoadColumns, kIdentityColumns, kPrimaryIndex, OfKnownLanes()),
          kUses};
}

ReaderQuery ParkedQuery(Projection projection, std::optional<std::pair<Partition, Offset>> after,
                        std::size_t limit) {
  static constexpr std::array kUses = {IndexUse{"p", kPrimaryIndex}};
  std::string sql = fmt::format("SELECT {} FROM parked p FORCE INDEX ({}) WHERE projection = '{}'",
                                kParkedColumns, kPrimaryIndex, ToString(projection));
  if (after) {
    fmt::format_to(std::back_inserter(sql),
                   " AND (`partition` > {0} OR (`partition` = {0} AND record_offset > {1}))",
                   after->first.value, after->second.value);
  }
  fmt::format_to(std::back_inserter(sql),
                 " ORDER BY projection, `partition`, record_offset, generation LIMIT {}", limit);
  return {std::move(sql), kUses};
}

ReaderQuery ParkedAtQuery(Projection projection, Partition partition, Offset offset) {
  static constexpr std::array kUses = {IndexUse{"p", kPrimaryIndex}};
  return {fmt::format("SELECT {} FROM parked p FORCE INDEX ({}) WHERE projection = '{}' AND "
                      "`partition` = {} AND record_offset = {} ORDER BY generation LIMIT 1",
                      kParkedColumns, kPrimaryIndex, ToString(projection), partition.value,
                      offset.value),
          kUses};
}

ReaderQuery CatalogQuery() {
  static constexpr std::array kUses = {IndexUse{"c", kPrimaryIndex}, IndexUse{"r", kPrimaryIndex},
                                       IndexUse{"i", kPrimaryIndex}};
  return {fmt::format("SELECT {0}, {1} FROM catalog c FORCE INDEX ({2}) LEFT JOIN catalog_reads r "
                      "FORCE INDEX ({2}) ON r.projection > '' LEFT JOIN schema_identity i FORCE "
                      "INDEX ({2}) ON i.id = 1 WHERE c.id = 1",
                      kCatalogColumns, kIdentityColumns, kPrimaryIndex),
          kUses};
}

ReaderQuery SlotMapQuery(SlotMapId id) {
  static constexpr std::array kUses = {IndexUse{"m", kPrimaryIndex}};
  return {fmt::format("SELECT slot, shard FROM slot_maps m FORCE INDEX ({}) WHERE slot_map = {}",
                      kPrimaryIndex, id.value),
          kUses};
}

}  // namespace fanfold::mysql
