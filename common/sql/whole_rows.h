// How the one statement about whole lists of several users tells its parts apart: each row is
// (kind, id, other, number). Kind k, a Direction: user, listed, since. Kind −k: partition, whether
// its lane is rewound, position. Kind 0: the latest repair's mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/ports/projection_reader.h"

namespace fanfold {

class WholeRows {
 public:
  void Add(std::int32_t kind, std::uint64_t id, std::uint64_t other, std::int64_t number);
  // Requires: every row was added, of each table's lists the first limit.together + 1, by user.
  [[nodiscard]] std::vector<WholeView> Told(std::span<const WholeLists> asked,
                                            const WholeListsLimit& limit);

 private:
  struct Lane {
    Offset position;
    bool is_rewound = false;
  };
  struct Table {
    std::unordered_map<UserId, std::vector<ListedUser>> lists;
    std::size_t rows = 0;
    UserId last;  // the last user with rows
    std::map<Partition, Lane> lanes;
  };
  [[nodiscard]] static std::optional<std::vector<ListedUser>> Whole(Table& table, UserId user,
                                                                    const WholeListsLimit& limit);

  Table following_;
  Table fans_;
  std::uint64_t repair_mark_ = 0;
};

template <class Rows>
[[nodiscard]] std::vector<WholeView> ReadLists(Rows& rows, std::span<const WholeLists> asked,
                                               const WholeListsLimit& limit) {
  WholeRows whole;
  while (rows.Next()) whole.Add(rows.I32(0), rows.U64(1), rows.U64(2), rows.I64(3));
  return whole.Told(asked, limit);
}

}  // namespace fanfold
