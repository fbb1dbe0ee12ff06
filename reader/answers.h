// What reads are answered with. JSON is written by hand where it is hot; tests hold it equal to
// nlohmann's.
#pragma once

#include <span>
#include <string>

#include "common/base/result.h"
#include "common/http/http_server.h"
#include "common/http/problem.h"
#include "reader/freshness/position_table.h"
#include "reader/freshness/projections_report.h"
#include "reader/queries.h"
#include "reader/query_service.h"

namespace fanfold::reader {

inline constexpr http::ProblemKind kPositionNotReached{409, "position_not_reached",
                                                       "The position is not reached yet"};
inline constexpr http::ProblemKind kStoreUnavailable{503, "store_unavailable",
                                                     "The tables are not available"};

// What a caller is told of a read that failed.
[[nodiscard]] http::ProblemKind ProblemOf(ErrorCode code) noexcept;

// The answer to a query of one user's tables, as JSON. Errors: those of ProjectionReader; kInternal
// for an export and for the projections, which are none.
[[nodiscard]] Result<std::string> AnswerJson(QueryService& service, const ReadQuery& query);

[[nodiscard]] http::Response Ok(std::string body);
[[nodiscard]] http::Response WithLag(http::Response response, Lag lag);

[[nodiscard]] std::string ToJson(const ListAnswer& answer);
[[nodiscard]] std::string ToJson(const UserCounts& counts);
[[nodiscard]] std::string ToJson(std::span<const UserCounts> counts);
[[nodiscard]] std::string ToJson(const RelationsAnswer& answer);
[[nodiscard]] std::string ToJson(std::span<const Suggestion> suggestions);
// A line for each.
[[nodiscard]] std::string ToNdjson(std::span<const ListedUser> listed);
[[nodiscard]] std::string ToJson(std::span<const ProjectionReport> projections);

}  // namespace fanfold::reader
