// Answers of the command service as HTTP. Pure.
#pragma once

#include <span>
#include <string>

#include "common/http/http_server.h"
#include "common/http/problem.h"
#include "writer/command.h"

namespace fanfold::writer {

inline constexpr http::ProblemKind kSelfFollow{422, "self_follow", "Nobody can follow themselves"};
inline constexpr http::ProblemKind kFollowLimit{422, "follow_limit",
                                                "The limit of followings is reached"};
inline constexpr http::ProblemKind kSuperseded{422, "superseded",
                                               "A later event has changed this relation"};
inline constexpr http::ProblemKind kUserDeleted{422, "user_deleted",
                                                "An account that has ended is part of it"};
inline constexpr http::ProblemKind kBatchTooLarge{422, "batch_too_large", "The batch is too large"};

[[nodiscard]] http::ProblemKind ProblemOf(RefusalCode code) noexcept;

[[nodiscard]] http::Header PositionHeader(const Logged& logged);
// Members of an answer: "event_id":"…","position":"…"; event ids are hex digits.
void AppendLogged(std::string& out, const Logged& logged);
// "code":"…","detail":"…"
void AppendRefused(std::string& out, const Refusal& refusal);

// A problem; of an event that was logged it also has event_id, position and Fanfold-Position.
[[nodiscard]] http::Response ResponseOf(const Refusal& refusal);

// 200 {"event_id","position","outcome"} with an outcome, 202 {"event_id","position"} without; the
// header Fanfold-Position with both.
[[nodiscard]] http::Response ResponseOf(const Accepted& accepted);

// 202 {"results":[{"event_id","position"} or {"code","detail"},…]}, or the problem of a batch that
// was refused as a whole.
[[nodiscard]] http::Response ResponseOf(std::span<const Answer> answers);

}  // namespace fanfold::writer
