#include "reader/query_needs.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "reader/expansion.h"

namespace fanfold::reader {
namespace {

class LaneCollector {
 public:
  explicit LaneCollector(const Placement& placement) : placement_(placement) {}

  void operator()(const ListQuery& query) {
    if (query.list != ListKind::kFans) Following(query.user);
    if (query.list != ListKind::kFollowing) Fans(query.user);
    if (query.viewer) Both(*query.viewer);
  }
  void operator()(const CommonQuery& query) {
    Following(query.user);
    Following(query.with);
  }
  void operator()(const KnownQuery& query) {
    Fans(query.user);
    Both(query.viewer);
  }
  void operator()(const CountsQuery& query) { Both(query.user); }
  void operator()(const CountsOfManyQuery& query) {
    for (const UserId user : query.users) Both(user);
  }
  void operator()(const RelationsQuery& query) { Both(query.user); }
  void operator()(const SuggestionsQuery&) {
    // The followed users are not known yet: they may live anywhere.
    Everywhere(ProjectionOf(Direction::kFollowing));
  }
  void operator()(const FansExportQuery& query) { Fans(query.user); }
  void operator()(const TenantQuery& query) { lanes_ = query.question->lanes(placement_); }
  void operator()(const LiveQuery& query) {
    const auto& [user, lists] = query.question->lists();
    if (lists.following) Following(user);
    if (lists.fans) Fans(user);
    Everywhere(query.question->projection());
    const std::vector<LanesRead> beside = query.question->tables(placement_);
    lanes_.insert(lanes_.end(), beside.begin(), beside.end());
  }
  void operator()(const ProjectionsQuery&) {
    for (const Projection projection : Projection::All()) Everywhere(projection);
  }

  std::vector<LanesRead> Take() {
    std::ranges::sort(lanes_);
    const auto repeats = std::ranges::unique(lanes_);
    lanes_.erase(repeats.begin(), repeats.end());
    return std::move(lanes_);
  }

 private:
  void Everywhere(Projection projection) { AddEverywhere(lanes_, projection, placement_); }
  void Following(UserId user) {
    lanes_.push_back(LanesOfUser(ProjectionOf(Direction::kFollowing), user, placement_));
  }
  void Fans(UserId user) {
    lanes_.push_back({ProjectionOf(Direction::kFans), placement_.ShardOf(user), std::nullopt});
  }
  void Both(UserId user) {
    Following(user);
    Fans(user);
  }

  const Placement& placement_;
  std::vector<LanesRead> lanes_;
};

// The users in its answer, where the query names them.
std::vector<UserId> UsersNamed(const ReadQuery& query) {
  if (const auto* one = std::get_if<CountsQuery>(&query)) return {one->user};
  if (const auto* many = std::get_if<CountsOfManyQuery>(&query)) return many->users;
  return {};
}

}  // namespace

std::vector<LanesRead> LanesOf(const ReadQuery& query, const Placement& placement) {
  LaneCollector collector(placement);
  std::visit(collector, query);
  return collector.Take();
}

std::vector<LanesRead> LanesOf(const ReadRequest& request, const Placement& placement) {
  std::vector<LanesRead> lanes = LanesOf(request.query, placement);
  if (request.expansion == nullptr) return lanes;
  const Projection projection = request.expansion->projection();
  for (const UserId user : UsersNamed(request.query)) {
    lanes.push_back(LanesOfUser(projection, user, placement));
  }
  // Who stands in a list is not known yet: they may live anywhere.
  if (UsersNamed(request.query).empty()) AddEverywhere(lanes, projection, placement);
  return lanes;
}

std::vector<LanesRead> TablesBeside(const ReadRequest& request, const Placement& placement) {
  const auto* live = std::get_if<LiveQuery>(&request.query);
  return live == nullptr ? std::vector<LanesRead>() : live->question->tables(placement);
}

std::optional<ListsOfUser> ListsOfOneUser(const ReadQuery& query) {
  constexpr ListsNeeded kBoth{.following = true, .fans = true};
  if (const auto* counts = std::get_if<CountsQuery>(&query)) {
    return ListsOfUser{counts->user, kBoth};
  }
  if (const auto* relations = std::get_if<RelationsQuery>(&query)) {
    return ListsOfUser{relations->user, kBoth};
  }
  if (const auto* live = std::get_if<LiveQuery>(&query)) return live->question->lists();
  const auto* page = std::get_if<ListQuery>(&query);
  if (page == nullptr || page->viewer) return std::nullopt;
  return ListsOfUser{
      page->user,
      {.following = page->list != ListKind::kFans, .fans = page->list != ListKind::kFollowing}};
}

bool IsOfTables(const ReadQuery& query) {
  return std::holds_alternative<ProjectionsQuery>(query) ||
         std::holds_alternative<TenantQuery>(query);
}

bool IsLong(const ReadQuery& query) {
  return std::holds_alternative<SuggestionsQuery>(query) ||
         std::holds_alternative<FansExportQuery>(query);
}

bool MayBeLong(const ReadQuery& query) {
  return IsLong(query) || std::holds_alternative<LiveQuery>(query);
}

}  // namespace fanfold::reader
