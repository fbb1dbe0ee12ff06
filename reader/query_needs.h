// The lanes' rows and users' lists that a query reads. Pure.
#pragma once

#include <optional>
#include <vector>

#include "common/stream/ids.h"
#include "common/stream/slot.h"
#include "reader/freshness/lanes_read.h"
#include "reader/queries.h"

namespace fanfold::reader {

// Sorted, unique. A user's own partition alone writes the user's following; all write the fans.
[[nodiscard]] std::vector<LanesRead> LanesOf(const ReadQuery& query, const Placement& placement);

// With the lanes of what each user carries besides.
[[nodiscard]] std::vector<LanesRead> LanesOf(const ReadRequest& request,
                                             const Placement& placement);

// The lanes of rows that the tables are asked for besides, wherever the reader stands.
[[nodiscard]] std::vector<LanesRead> TablesBeside(const ReadRequest& request,
                                                  const Placement& placement);

// The lists that the answer is made of, where they are one user's; else nothing.
[[nodiscard]] std::optional<ListsOfUser> ListsOfOneUser(const ReadQuery& query);

// Do the tables alone answer it, wherever the reader stands?
[[nodiscard]] bool IsOfTables(const ReadQuery& query);

// Does it take longer than an IO thread has for one request, even from memory?
[[nodiscard]] bool IsLong(const ReadQuery& query);
// Whether its answer may turn out to be: memory tells, once it has it.
[[nodiscard]] bool MayBeLong(const ReadQuery& query);

}  // namespace fanfold::reader
