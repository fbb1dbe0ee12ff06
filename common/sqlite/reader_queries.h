// Every question of the reader: its text beside how it must be answered, which a test compares with
// EXPLAIN QUERY PLAN. Lists of users are bound as one JSON array, so that a text is prepared once
// whatever their number.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/ports/projection_reader.h"
#include "common/sqlite/connection.h"

namespace fanfold::sqlite {

// A table, by its alias in the query, and the index that it must be searched by.
struct IndexUse {
  std::string alias;
  std::string index;
};

struct ReaderQuery {
  std::string sql;
  std::vector<Value> values;  // ?1, ?2, …
  std::vector<IndexUse> uses;
};

// other, since
[[nodiscard]] ReaderQuery PageQuery(Direction list, Generation generation, UserId user,
                                    const PageStart& start, std::size_t limit);
// other, since
[[nodiscard]] ReaderQuery FriendsPageQuery(const ReadGenerations& read, UserId user,
                                           const PageStart& start, std::size_t limit);
// other, since
[[nodiscard]] ReaderQuery AmongQuery(Direction list, Generation generation, UserId user,
                                     std::span<const UserId> others);
// user, following, fans, friends: a row for each asked, in order
[[nodiscard]] ReaderQuery CountsQuery(const ReadGenerations& read, std::span<const UserId> users);
// target, follows, followed by: a row for each asked, in order
[[nodiscard]] ReaderQuery RelationsQuery(const ReadGenerations& read, UserId user,
                                         std::span<const UserId> targets);
// as common/sql/view_rows.h says
[[nodiscard]] ReaderQuery ViewQuery(const ReadGenerations& read, UserId user, Partition partition,
                                    std::span<const ListQuestion> questions);
// as common/sql/view_rows.h says
[[nodiscard]] ReaderQuery EdgeAtQuery(Direction list, Generation generation, const EdgeKey& key,
                                      Partition partition);
// mark, projection, generation, user
[[nodiscard]] ReaderQuery RepairsQuery(std::uint64_t after, std::size_t limit);
// kLaneColumns, in the order of the tables' text
[[nodiscard]] ReaderQuery LanesQuery();
// kParkedColumns
[[nodiscard]] ReaderQuery ParkedQuery(Projection projection,
                                      std::optional<std::pair<Partition, Offset>> after,
                                      std::size_t limit);
// kParkedColumns
[[nodiscard]] ReaderQuery ParkedAtQuery(Projection projection, Partition partition, Offset offset);
// kCatalogColumns (catalog_rows.h)
[[nodiscard]] ReaderQuery CatalogQuery();
// slot, shard
[[nodiscard]] ReaderQuery SlotMapQuery(SlotMapId id);

}  // namespace fanfold::sqlite
