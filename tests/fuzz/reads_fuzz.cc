// Each read of the reader: what is taken is within its bounds.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/check.h"
#include "reader/query_parser.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

using namespace reader;

using Parse = ParsedRead (*)(const http::Routed&);
constexpr Parse kReads[] = {
    [](const http::Routed& routed) { return ParseList(ListKind::kFollowing, routed); },
    [](const http::Routed& routed) { return ParseList(ListKind::kFans, routed); },
    [](const http::Routed& routed) { return ParseCommon(routed); },
    [](const http::Routed& routed) { return ParseKnown(routed); },
    [](const http::Routed& routed) { return ParseSuggestions(routed); },
    ParseCounts,
    ParseCountsOfMany,
    ParseRelations,
    ParseRelationsBody,
    ParseFansExport,
    ParseProjections,
};

bool IsUser(UserId user) { return user.value >= 1 && user.value <= kUserIdMax; }

bool AreUsers(const std::vector<UserId>& users, std::size_t users_max) {
  return !users.empty() && users.size() <= users_max && std::ranges::all_of(users, IsUser);
}

bool IsLimit(std::size_t limit) { return limit >= 1 && limit <= kListLimitMax; }

struct Bounds {
  bool operator()(const ListQuery& query) const {
    return IsUser(query.user) && IsLimit(query.limit) && IsUser(query.viewer.value_or(UserId(1))) &&
           query.start.offset >= 0 && query.start.offset <= kListOffsetMax;
  }
  bool operator()(const CommonQuery& query) const {
    return IsUser(query.user) && IsUser(query.with) && IsLimit(query.limit);
  }
  bool operator()(const KnownQuery& query) const {
    return IsUser(query.user) && IsUser(query.viewer) && IsLimit(query.limit);
  }
  bool operator()(const CountsQuery& query) const { return IsUser(query.user); }
  bool operator()(const CountsOfManyQuery& query) const {
    return AreUsers(query.users, kCountsUsersMax);
  }
  bool operator()(const RelationsQuery& query) const {
    return IsUser(query.user) && AreUsers(query.targets, kRelationsPostMax);
  }
  bool operator()(const SuggestionsQuery& query) const {
    return IsUser(query.user) && IsLimit(query.limit);
  }
  bool operator()(const FansExportQuery& query) const { return IsUser(query.user); }
  bool operator()(const ProjectionsQuery& /*query*/) const { return true; }
};

}  // namespace

void Fuzz(std::string_view input) {
  const Parse parse = kReads[TakeByte(input) % std::size(kReads)];
  const std::string user(TakeLine(input));
  auto query = http::Query::Parse(TakeLine(input));
  if (!query) return;
  http::Headers headers;
  const std::string_view position = TakeLine(input);
  FANFOLD_CHECK(position.empty() || headers.Add("Fanfold-Min-Position", position), position);
  http::Request request;
  request.headers = &headers;
  request.body = input;
  const ParsedRead read = parse({request, {user}, *std::move(query)});
  if (!read) {
    FANFOLD_CHECK(read.error().status == 400, read.error().body);
    return;
  }
  FANFOLD_CHECK(std::visit(Bounds(), read->query), std::to_string(read->query.index()));
  FANFOLD_CHECK(read->timeout_ms >= 0 && read->timeout_ms <= kPositionTimeoutMaxMs, "");
}

}  // namespace fanfold
