// The answers of reads. JSON is written by hand where it is hot; tests hold it equal to nlohmann's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/http/http_server.h"
#include "common/http/problem.h"
#include "reader/expansion.h"
#include "reader/freshness/position_table.h"
#include "reader/freshness/projections_report.h"
#include "reader/queries.h"
#include "reader/query_service.h"

namespace fanfold::reader {

inline constexpr http::ProblemKind kPositionNotReached{409, "position_not_reached",
                                                       "The position is not reached yet"};
inline constexpr http::ProblemKind kStoreUnavailable{503, "store_unavailable",
                                                     "The tables are not available"};

// The problem that a caller is told when a read fails.
[[nodiscard]] http::ProblemKind ProblemOf(ErrorCode code) noexcept;

// Are its words our own? Others are a database's or the system's, which name hosts, files and
// tables: they are for the log, and for whoever asks whether the process is ready.
[[nodiscard]] bool MayBeTold(const Error& why) noexcept;
// Requires: whoever may not be told why finds it in the log.
[[nodiscard]] http::Response ReadFailed(const Error& why);

// The answer to a query of one user's tables, as JSON; without `expand` nobody carries more.
// Errors: those of ProjectionReader and of `expand`; kInternal for an export, for the projections
// and for a tenant's questions, whose answers are others.
[[nodiscard]] Result<std::string> AnswerJson(QueryService& service, const ReadQuery& query,
                                             const Expand& expand = nullptr);

[[nodiscard]] http::Response Ok(std::string body);
[[nodiscard]] http::Response WithLag(http::Response response, Lag lag);

// Members behind each user_id: one text a user, or none at all.
using Members = std::span<const std::string>;
[[nodiscard]] std::string ToJson(const ListAnswer& answer, Members members = {});
[[nodiscard]] std::string ToJson(const UserCounts& counts, Members members = {});
[[nodiscard]] std::string ToJson(std::span<const UserCounts> counts, Members members = {});
[[nodiscard]] std::string ToJson(const RelationsAnswer& answer);
// Its only entry. Requires: there is one.
[[nodiscard]] std::string ToJsonOfOne(const RelationsAnswer& answer);
[[nodiscard]] std::string ToJson(std::span<const Suggestion> suggestions, Members members = {});
// One line a user.
[[nodiscard]] std::string ToNdjson(std::span<const ListedUser> listed);
[[nodiscard]] std::string ToJson(std::span<const ProjectionReport> projections);

}  // namespace fanfold::reader
