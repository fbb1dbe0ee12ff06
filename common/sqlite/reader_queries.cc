#include "common/sqlite/reader_queries.h"

#include <fmt/format.h>
#include <utility>

#include "common/sql/catalog_rows.h"
#include "common/sql/lane_status.h"
#include "common/sql/parked_row.h"
#include "common/sql/sql_text.h"
#include "common/sql/table_names.h"
#include "common/sql/view_rows.h"

namespace fanfold::sqlite {
namespace {

constexpr const char* kPrimaryKey = "PRIMARY KEY";
constexpr const char* kRowKey = "INTEGER PRIMARY KEY";

Value Number(UserId user) { return static_cast<std::int64_t>(user.value); }
Value Number(std::size_t number) { return static_cast<std::int64_t>(number); }

Value IdsOf(std::span<const UserId> users) {
  std::string ids = "[";
  AppendIds(ids, users);
  return ids + ']';
}

std::string PageIndexOf(const TableNames& tables) { return tables.edges + "_page"; }
std::string Covering(const std::string& index) { return "COVERING INDEX " + index; }

// Binds a value behind those that are there: its name in the text.
std::string Bound(Value value, std::vector<Value>& values) {
  values.push_back(std::move(value));
  return fmt::format("?{}", values.size());
}

// Of the user ?1.
std::string PageText(const TableNames& tables, const PageStart& start, std::size_t limit,
                     std::vector<Value>& values) {
  std::string sql = fmt::format(
      "SELECT e.{0}, e.since_ms FROM {1} e INDEXED BY {2} WHERE e.user_id = ?1 AND e.active = 1",
      tables.other, tables.edges, PageIndexOf(tables));
  if (start.after) {
    // A comparison of rows is one range of the index: no row is read that is not wanted, however
    // many share the cursor's since.
    const std::string since = Bound(start.after->since_ms, values);
    sql += fmt::format(" AND (e.since_ms, e.{}) < ({}, {})", tables.other, since,
                       Bound(Number(start.after->user), values));
  }
  const std::string rows = Bound(Number(limit), values);
  sql += fmt::format(" ORDER BY e.since_ms DESC, e.{} DESC LIMIT {} OFFSET {}", tables.other, rows,
                     Bound(start.offset, values));
  return sql;
}

// Of the user ?1.
std::string AmongText(const TableNames& tables, std::span<const UserId> others,
                      std::vector<Value>& values) {
  // The + keeps the page index out of it, by which the whole list would be read.
  return fmt::format(
      "SELECT e.{0}, e.since_ms FROM {1} e WHERE e.user_id = ?1 AND e.{0} IN "
      "(SELECT value FROM json_each({2})) AND +e.active = 1 ORDER BY e.since_ms DESC, e.{0} DESC",
      tables.other, tables.edges, Bound(IdsOf(others), values));
}

}  // namespace

ReaderQuery PageQuery(Direction list, Generation generation, UserId user, const PageStart& start,
                      std::size_t limit) {
  const TableNames tables = TablesOf(list, generation);
  ReaderQuery query;
  query.uses = {{"e", Covering(PageIndexOf(tables))}};
  query.values = {Number(user)};
  query.sql = PageText(tables, start, limit, query.values);
  return query;
}

ReaderQuery FriendsPageQuery(const ReadGenerations& read, UserId user, const PageStart& start,
                             std::size_t limit) {
  const TableNames following = TablesOf(Direction::kFollowing, read[Direction::kFollowing]);
  const TableNames fans = TablesOf(Direction::kFans, read[Direction::kFans]);
  ReaderQuery query;
  query.uses = {{"f", Covering(PageIndexOf(following))}, {"b", kPrimaryKey}};
  query.values = {Number(user), Number(limit), start.offset};
  // The user's following is the small side, bounded by the follow limit. CROSS JOIN keeps the
  // order.
  query.sql = fmt::format(
      "SELECT f.target_id, max(f.since_ms, b.since_ms) AS since FROM {} f INDEXED BY {} CROSS JOIN "
      "{} b ON b.user_id = ?1 AND b.fan_id = f.target_id WHERE f.user_id = ?1 AND f.active = 1 AND "
      "b.active = 1",
      following.edges, PageIndexOf(following), fans.edges);
  if (start.after) {
    query.sql += " AND (max(f.since_ms, b.since_ms), f.target_id) < (?4, ?5)";
    query.values.insert(query.values.end(), {start.after->since_ms, Number(start.after->user)});
  }
  query.sql += " ORDER BY since DESC, f.target_id DESC LIMIT ?2 OFFSET ?3";
  return query;
}

ReaderQuery AmongQuery(Direction list, Generation generation, UserId user,
                       std::span<const UserId> others) {
  ReaderQuery query;
  query.uses = {{"e", kPrimaryKey}};
  query.values = {Number(user)};
  query.sql = AmongText(TablesOf(list, generation), others, query.values);
  return query;
}

// json_each gives an array in its order, and the tables are joined to it: so do these two.
ReaderQuery CountsQuery(const ReadGenerations& read, std::span<const UserId> users) {
  const TableNames following = TablesOf(Direction::kFollowing, read[Direction::kFollowing]);
  const TableNames fans = TablesOf(Direction::kFans, read[Direction::kFans]);
  return {fmt::format("SELECT k.value, fc.n, bc.n, (SELECT count(*) FROM {2} f INDEXED BY {3} "
                      "CROSS JOIN {4} b ON b.user_id = f.user_id AND b.fan_id = f.target_id WHERE "
                      "f.user_id = k.value AND f.active = 1 AND b.active = 1) FROM json_each(?1) k "
                      "LEFT JOIN {0} fc ON fc.user_id = k.value LEFT JOIN {1} bc ON bc.user_id = "
                      "k.value",
                      following.counts, fans.counts, following.edges, PageIndexOf(following),
                      fans.edges),
          {IdsOf(users)},
          {{"fc", kRowKey},
           {"bc", kRowKey},
           {"f", Covering(PageIndexOf(following))},
           {"b", kPrimaryKey}}};
}

ReaderQuery RelationsQuery(const ReadGenerations& read, UserId user,
                           std::span<const UserId> targets) {
  const TableNames following = TablesOf(Direction::kFollowing, read[Direction::kFollowing]);
  const TableNames fans = TablesOf(Direction::kFans, read[Direction::kFans]);
  return {fmt::format("SELECT k.value, f.active, b.active FROM json_each(?2) k LEFT JOIN {} f ON "
                      "f.user_id = ?1 AND f.target_id = k.value LEFT JOIN {} b ON b.user_id = ?1 "
                      "AND b.fan_id = k.value",
                      following.edges, fans.edges),
          {Number(user), IdsOf(targets)},
          {{"f", kPrimaryKey}, {"b", kPrimaryKey}}};
}

ReaderQuery ViewQuery(const ReadGenerations& read, UserId user, Partition partition,
                      std::span<const ListQuestion> questions) {
  const TableNames following = TablesOf(Direction::kFollowing, read[Direction::kFollowing]);
  const TableNames fans = TablesOf(Direction::kFans, read[Direction::kFans]);
  ReaderQuery query;
  query.uses = {{"fc", kRowKey}, {"bc", kRowKey}, {"lf", kPrimaryKey}, {"lb", kPrimaryKey}};
  query.values = {Number(user)};
  // Every statement has one read view.
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const ListQuestion& question = questions[i];
    const TableNames& tables = question.list == Direction::kFollowing ? following : fans;
    query.sql += fmt::format(
        "SELECT {}, q.* FROM ({}) q UNION ALL ", i,
        question.among.empty() ? PageText(tables, {question.after, 0}, question.limit, query.values)
                               : AmongText(tables, question.among, query.values));
  }
  query.sql += fmt::format(
      "SELECT {0}, fc.user_id, fc.n FROM {1} fc WHERE fc.user_id = ?1 UNION ALL "
      "SELECT {2}, bc.user_id, bc.n FROM {3} bc WHERE bc.user_id = ?1 UNION ALL "
      "SELECT iif(lf.event_offset < lf.folded_offset, {10}, {4}), lf.`partition`, lf.event_offset "
      "FROM progress lf WHERE lf.projection = '{12}' AND lf.generation = {5} AND "
      "lf.`partition` = {6} UNION ALL "
      "SELECT iif(lb.event_offset < lb.folded_offset, {11}, {7}), lb.`partition`, lb.event_offset "
      "FROM progress lb WHERE lb.projection = '{13}' AND lb.generation = {8} UNION ALL "
      "SELECT {9}, coalesce(max(r.mark), 0), 0 FROM repairs r",
      static_cast<int>(ViewRow::kFollowingCount), following.counts,
      static_cast<int>(ViewRow::kFansCount), fans.counts,
      static_cast<int>(ViewRow::kFollowingPosition), read[Direction::kFollowing].value,
      Bound(std::int64_t{partition.value}, query.values), static_cast<int>(ViewRow::kFansPosition),
      read[Direction::kFans].value, static_cast<int>(ViewRow::kRepairMark),
      static_cast<int>(ViewRow::kFollowingRewound), static_cast<int>(ViewRow::kFansRewound),
      ToString(ProjectionOf(Direction::kFollowing)), ToString(ProjectionOf(Direction::kFans)));
  return query;
}

ReaderQuery EdgeAtQuery(Direction list, Generation generation, const EdgeKey& key,
                        Partition partition) {
  const TableNames tables = TablesOf(list, generation);
  return {
      fmt::format("SELECT {}, e.active, e.since_ms, e.version FROM {} e WHERE e.user_id = ?1 "
                  "AND e.{} = ?2 UNION ALL SELECT {}, c.n, 0, 0 FROM {} c WHERE c.user_id = ?1 "
                  "UNION ALL SELECT {}, l.event_offset, l.event_offset < l.folded_offset, 0 FROM "
                  "progress l WHERE "
                  "l.projection = ?3 AND l.generation = ?4 AND l.`partition` = ?5",
                  static_cast<int>(EdgeViewRow::kEdge), tables.edges, tables.other,
                  static_cast<int>(EdgeViewRow::kCount), tables.counts,
                  static_cast<int>(EdgeViewRow::kPosition)),
      {Number(key.user), Number(key.other), std::string(ToString(ProjectionOf(list))),
       std::int64_t{generation.value}, std::int64_t{partition.value}},
      {{"e", kPrimaryKey}, {"c", kRowKey}, {"l", kPrimaryKey}}};
}

ReaderQuery RepairsQuery(std::uint64_t after, std::size_t limit) {
  return {
      "SELECT r.mark, r.projection, r.generation, r.user_id FROM repairs r WHERE r.mark > ?1 "
      "ORDER BY r.mark LIMIT ?2",
      {static_cast<std::int64_t>(after), Number(limit)},
      {{"r", kPrimaryKey}}};
}

ReaderQuery LanesQuery() {
  // All of them: the one question that reads a table from end to end.
  return {fmt::format("SELECT {}, {} FROM progress l WHERE {}", kLaneColumns, kLoadColumns,
                      OfKnownLanes()),
          {},
          {}};
}

ReaderQuery ParkedQuery(Projection projection, std::optional<std::pair<Partition, Offset>> after,
                        std::size_t limit) {
  ReaderQuery query;
  query.uses = {{"p", kPrimaryKey}};
  query.values = {std::string(ToString(projection)), Number(limit)};
  query.sql = fmt::format("SELECT {} FROM parked p WHERE projection = ?1", kParkedColumns);
  if (after) {
    query.sql += " AND (`partition`, record_offset) > (?3, ?4)";
    query.values.insert(query.values.end(),
                        {std::int64_t{after->first.value}, after->second.value});
  }
  query.sql += " ORDER BY projection, `partition`, record_offset, generation LIMIT ?2";
  return query;
}

ReaderQuery ParkedAtQuery(Projection projection, Partition partition, Offset offset) {
  return {fmt::format("SELECT {} FROM parked p WHERE projection = ?1 AND `partition` = ?2 AND "
                      "record_offset = ?3 ORDER BY generation LIMIT 1",
                      kParkedColumns),
          {std::string(ToString(projection)), std::int64_t{partition.value}, offset.value},
          {{"p", kPrimaryKey}}};
}

ReaderQuery CatalogQuery() {
  return {
      fmt::format("SELECT {} FROM catalog c LEFT JOIN catalog_reads r ON r.projection > '' WHERE "
                  "c.id = 1",
                  kCatalogColumns),
      {},
      {{"c", kRowKey}, {"r", kPrimaryKey}}};
}

ReaderQuery SlotMapQuery(SlotMapId id) {
  return {"SELECT slot, shard FROM slot_maps m WHERE slot_map = ?1",
          {std::int64_t{id.value}},
          {{"m", kPrimaryKey}}};
}

}  // namespace fanfold::sqlite
