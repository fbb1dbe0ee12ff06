#include "writer/answers.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string>

#include "common/base/json_text.h"
#include "common/http/status.h"
#include "writer/command_policy.h"

namespace fanfold::writer {
namespace {

std::string PositionOf(const Logged& logged) {
  return ToString(StreamPosition{logged.stream, logged.position});
}

void AppendResult(std::string& out, const Answer& answer) {
  out += '{';
  if (answer) {
    AppendLogged(out, answer->logged);
  } else {
    AppendRefused(out, answer.error());
  }
  out += '}';
}

}  // namespace

http::Header PositionHeader(const Logged& logged) {
  return {"Fanfold-Position", PositionOf(logged)};
}

void AppendLogged(std::string& out, const Logged& logged) {
  fmt::format_to(std::back_inserter(out), FMT_COMPILE(R"("event_id":"{}","position":"{}")"),
                 logged.event_id, PositionOf(logged));
}

void AppendRefused(std::string& out, const Refusal& refusal) {
  out += R"("code":")";
  out += ProblemOf(refusal.code).code;
  out += R"(","detail":)";
  out += JsonQuoted(refusal.detail);
}

http::ProblemKind ProblemOf(RefusalCode code) noexcept {
  switch (code) {
    case RefusalCode::kInvalidArgument:
      return http::problems::kInvalidArgument;
    case RefusalCode::kUnknownParameter:
      return http::problems::kUnknownParameter;
    case RefusalCode::kForbidden:
      return http::problems::kForbidden;
    case RefusalCode::kSelfFollow:
      return kSelfFollow;
    case RefusalCode::kFollowLimit:
      return kFollowLimit;
    case RefusalCode::kSuperseded:
      return kSuperseded;
    case RefusalCode::kUserDeleted:
      return kUserDeleted;
    case RefusalCode::kBatchTooLarge:
      return kBatchTooLarge;
    case RefusalCode::kLogUnavailable:
      return http::problems::kLogUnavailable;
    case RefusalCode::kOverloaded:
      return http::problems::kOverloaded;
    case RefusalCode::kParked:
      return http::problems::kInternal;
  }
  return http::problems::kInternal;
}

http::Response ResponseOf(const Refusal& refusal) {
  http::Response response = http::Problem(ProblemOf(refusal.code), refusal.detail);
  if (!refusal.logged) return response;
  std::string members;
  AppendLogged(members, *refusal.logged);
  http::AddMembers(response, members);
  response.headers.push_back(PositionHeader(*refusal.logged));
  return response;
}

http::Response ResponseOf(const Accepted& accepted) {
  http::Response response;
  response.status = accepted.outcome ? http::kOk : http::kAccepted;
  response.headers.push_back(PositionHeader(accepted.logged));
  response.body += '{';
  AppendLogged(response.body, accepted.logged);
  if (accepted.outcome) {
    response.body += R"(,"outcome":")";
    response.body += ToString(*accepted.outcome);
    response.body += '"';
  }
  response.body += '}';
  return response;
}

http::Response ResponseOf(std::span<const Answer> answers) {
  if (const auto refused = RefuseWholeBatch(answers)) return ResponseOf(*refused);
  constexpr std::size_t kResultBytes = 80;  // {"event_id":"32 digits","position":"16:1000000000"},
  http::Response response;
  response.status = http::kAccepted;
  response.body.reserve(answers.size() * kResultBytes);
  response.body += R"({"results":[)";
  for (const Answer& answer : answers) {
    if (&answer != &answers.front()) response.body += ',';
    AppendResult(response.body, answer);
  }
  response.body += "]}";
  return response;
}

}  // namespace fanfold::writer
