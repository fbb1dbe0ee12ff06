// From a routed HTTP request to a query. Pure. Each refusal is a 400 that names the parameter and
// what it must be: invalid_argument, invalid_cursor, unknown_parameter.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string_view>

#include "common/http/router.h"
#include "reader/expansion.h"
#include "reader/queries.h"

namespace fanfold::reader {

using ParsedRead = std::expected<ReadRequest, http::Response>;

// Those of one user take him from path[0]. `expansions`: what `expand` may name.
[[nodiscard]] ParsedRead ParseList(ListKind list, const http::Routed& routed,
                                   const Expansions& expansions = {});
[[nodiscard]] ParsedRead ParseCommon(const http::Routed& routed, const Expansions& expansions = {});
[[nodiscard]] ParsedRead ParseKnown(const http::Routed& routed, const Expansions& expansions = {});
[[nodiscard]] ParsedRead ParseSuggestions(const http::Routed& routed,
                                          const Expansions& expansions = {});
[[nodiscard]] ParsedRead ParseCounts(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseCountsOfMany(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseRelations(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseRelationsBody(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseFansExport(const http::Routed& routed);
[[nodiscard]] ParsedRead ParseProjections(const http::Routed& routed);

// What a question to a tenant's tables may say, once it is parsed; null where that does not do.
using NewPageQuestion = std::function<QuestionPtr(
    UserId user, const std::optional<std::string_view>& cursor, std::size_t limit)>;
using NewRowQuestion = std::function<QuestionPtr(UserId user, std::string_view segment)>;
// A page of a user's rows: path[0], limit and cursor. Null: the cursor is none.
[[nodiscard]] ParsedRead ParseTenantPage(const http::Routed& routed, const NewPageQuestion& ask);
// One of a user's rows: path[0] and path[1], which `segment_is` in words. Null: it is not that.
[[nodiscard]] ParsedRead ParseTenantRow(const http::Routed& routed, std::string_view segment_is,
                                        const NewRowQuestion& ask);

}  // namespace fanfold::reader
