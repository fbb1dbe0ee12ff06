// Each read of the reader: what is taken is within its bounds.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/check.h"
#include "reader/posts/post_tenant.h"
#include "reader/query_parser.h"
#include "tests/fuzz/fuzz.h"

namespace fanfold {
namespace {

using namespace reader;

using Parse = std::function<ParsedRead(const http::Routed&)>;

std::vector<Parse> Reads() {
  std::vector<Parse> reads = {
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
  for (const TenantRoute& route : NewPostTenant()->routes()) {
    reads.push_back(
        [parse = route.parse](const http::Routed& routed) { return parse(routed, {}); });
  }
  return reads;
}

bool IsUser(UserId user) { return user.value >= 1 && user.value <= kUserIdMax; }

bool AreUsers(const std::vector<UserId>& users, std::size_t users_max) {
  return !users.empty() && users.size() <= users_max && std::ranges::all_of(users, IsUser);
}

bool IsLimit(std::size_t limit) { return limit >= 1 && limit <= kListLimitMax; }

struct Bounds {
  std::optional<UserId> user;  // of the path

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
  bool operator()(const TenantQuery& query) const {
    // Those of the user in the path.
    const Placement placement = Placement::Modulo({4, 2});
    const auto lanes = query.question->lanes(placement);
    return user && lanes.size() == 1 && lanes[0].partition == placement.PartitionOf(*user);
  }
  // Feeds want a whole reader: their cursors are another target's.
  bool operator()(const LiveQuery& /*query*/) const { return false; }
};

}  // namespace

const FuzzTarget kReads("reads", [](std::string_view input) {
  static const std::vector<Parse> reads = Reads();
  const Parse& parse = reads[TakeByte(input) % reads.size()];
  const std::string_view path = TakeLine(input);
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string user(path.substr(0, slash));
  const std::string segment(path.substr(std::min(slash + 1, path.size())));
  auto query = http::Query::Parse(TakeLine(input));
  if (!query) return;
  http::Headers headers;
  const std::string_view position = TakeLine(input);
  FANFOLD_CHECK(position.empty() || headers.Add("Fanfold-Min-Position", position), position);
  http::Request request;
  request.headers = &headers;
  request.body = input;
  const ParsedRead read = parse({request, {user, segment}, *std::move(query)});
  if (!read) {
    FANFOLD_CHECK(read.error().status == 400, read.error().body);
    return;
  }
  FANFOLD_CHECK(std::visit(Bounds{ParseUserId(user)}, read->query),
                std::to_string(read->query.index()));
  FANFOLD_CHECK(read->timeout_ms >= 0 && read->timeout_ms <= kPositionTimeoutMaxMs, "");
});

}  // namespace fanfold
