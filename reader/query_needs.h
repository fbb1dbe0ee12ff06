// What a query reads: lanes' rows, users' lists. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/stream/ids.h"
#include "common/stream/slot.h"
#include "reader/cache/list_fetcher.h"
#include "reader/freshness/lanes_read.h"
#include "reader/queries.h"

namespace fanfold::reader {

// Sorted, unique. A user's following is written by his own partition alone, his fans by all.
[[nodiscard]] std::vector<LanesRead> LanesOf(const ReadQuery& query, const Placement& placement);

// With those of what each user carries besides.
[[nodiscard]] std::vector<LanesRead> LanesOf(const ReadRequest& request,
                                             const Placement& placement);

struct ListsOfUser {
  UserId user;
  ListsNeeded lists;
};
// What the answer is made of, where that is one user's lists.
[[nodiscard]] std::optional<ListsOfUser> ListsOfOneUser(const ReadQuery& query);

// Takes longer than an IO thread has for one request, also with all it needs in memory.
[[nodiscard]] bool IsLong(const ReadQuery& query);

}  // namespace fanfold::reader
