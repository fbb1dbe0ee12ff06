// What reads are answered with.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/http/http_server.h"
#include "common/http/problem.h"
#include "reader/freshness/position_table.h"
#include "reader/queries.h"
#include "reader/query_service.h"

namespace fanfold::reader {

// What a caller is told of a read that failed.
[[nodiscard]] http::ProblemCode ProblemOf(ErrorCode code) noexcept;

// The answer to a query of one user's tables, as JSON. Errors: those of ProjectionReader; kInternal
// for an export and for the projections, which are none.
[[nodiscard]] Result<std::string> AnswerJson(QueryService& service, const ReadQuery& query);

[[nodiscard]] http::Response Ok(std::string body);
[[nodiscard]] http::Response WithLag(http::Response response, Lag lag);

}  // namespace fanfold::reader
