// Every question of the reader: its text beside the indexes it must be answered from, which a test
// compares with EXPLAIN.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "common/ports/projection_reader.h"

namespace fanfold::mysql {

// A table, by its alias in the query where it has one, and the index it must be read by.
struct IndexUse {
  std::string_view alias;
  std::string_view index;
};

struct ReaderQuery {
  std::string sql;
  std::span<const IndexUse> uses;
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
// kind of count, user, n
enum class CountKind : std::uint8_t { kFollowing = 1, kFans = 2, kFriends = 3 };
[[nodiscard]] ReaderQuery CountsQuery(const ReadGenerations& read, std::span<const UserId> users);
// Direction, other
[[nodiscard]] ReaderQuery RelationsQuery(const ReadGenerations& read, UserId user,
                                         std::span<const UserId> targets);
// as common/sql/view_rows.h says
[[nodiscard]] ReaderQuery ViewQuery(const ReadGenerations& read, UserId user, Partition partition,
                                    std::span<const ListQuestion> questions);
// Rows are (kind, id, other, number), as common/sql/whole_rows.h says, in no order; of each
// direction the first rows_max + 1 by user.
[[nodiscard]] ReaderQuery ListsQuery(const ReadGenerations& read, std::span<const WholeLists> asked,
                                     std::size_t rows_max);

[[nodiscard]] ReaderQuery EdgeAtQuery(Direction list, Generation generation, const EdgeKey& key,
                                      Partition partition);
// mark, projection, generation, user
[[nodiscard]] ReaderQuery RepairsQuery(std::uint64_t after, std::size_t limit);
// kLaneColumns
[[nodiscard]] ReaderQuery LanesQuery();
// kParkedColumns
[[nodiscard]] ReaderQuery ParkedQuery(Projection projection,
                                      std::optional<std::pair<Partition, Offset>> after,
                                      std::size_t limit);
// kParkedColumns
[[nodiscard]] ReaderQuery ParkedAtQuery(Projection projection, Partition partition, Offset offset);
// kCatalogColumns and kIdentityColumns
[[nodiscard]] ReaderQuery CatalogQuery();
// slot, shard
[[nodiscard]] ReaderQuery SlotMapQuery(SlotMapId id);

}  // namespace fanfold::mysql
