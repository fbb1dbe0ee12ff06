#include "reader/query_parser.h"

#include <utility>

namespace fanfold::reader {

ParsedRead ParseList(ListKind list, const http::Routed& routed, const Expansions& expansions) {
  const bool fans = list == ListKind::kFans;
  Parameters parameters = fans
                              ? Parameters(routed, {"limit", "cursor", "viewer", "expand",
                                                    "generation", "min_position", "timeout_ms"})
                              : Parameters(routed, {"limit", "cursor", "offset", "viewer", "expand",
                                                    "generation", "min_position", "timeout_ms"});
  ListQuery query{.list = list, .user = parameters.PathUser(), .start = {}, .viewer = {}};
  query.limit = parameters.Limit();
  query.start = fans ? PageStart{.after = parameters.After()} : parameters.StartWithOffset();
  query.viewer = parameters.OptionalUser("viewer");
  parameters.Expand(expansions);
  return parameters.Finish(query);
}

ParsedRead ParseCommon(const http::Routed& routed, const Expansions& expansions) {
  Parameters parameters(
      routed, {"with", "limit", "cursor", "expand", "generation", "min_position", "timeout_ms"});
  CommonQuery query{.user = parameters.PathUser(), .with = parameters.User("with"), .after = {}};
  query.limit = parameters.Limit();
  query.after = parameters.After();
  parameters.Expand(expansions);
  return parameters.Finish(query);
}

ParsedRead ParseKnown(const http::Routed& routed, const Expansions& expansions) {
  Parameters parameters(
      routed, {"viewer", "limit", "cursor", "expand", "generation", "min_position", "timeout_ms"});
  KnownQuery query{.user = parameters.PathUser(), .viewer = parameters.User("viewer"), .after = {}};
  query.limit = parameters.Limit();
  query.after = parameters.After();
  parameters.Expand(expansions);
  return parameters.Finish(query);
}

ParsedRead ParseCounts(const http::Routed& routed) {
  Parameters parameters(routed, {"generation", "min_position", "timeout_ms"});
  return parameters.Finish(CountsQuery{parameters.PathUser()});
}

ParsedRead ParseCountsOfMany(const http::Routed& routed) {
  Parameters parameters(routed, {"ids", "generation", "min_position", "timeout_ms"});
  return parameters.Finish(CountsOfManyQuery{parameters.Users("ids", kCountsUsersMax)});
}

ParsedRead ParseRelations(const http::Routed& routed) {
  Parameters parameters(routed, {"to", "generation", "min_position", "timeout_ms"});
  RelationsQuery query{.user = parameters.PathUser(), .targets = {}};
  query.targets = parameters.Users("to", kRelationsGetMax);
  return parameters.Finish(std::move(query));
}

ParsedRead ParseRelation(const http::Routed& routed) {
  Parameters parameters(routed, {"generation", "min_position", "timeout_ms"});
  RelationsQuery query{.user = parameters.PathUser(), .targets = {}, .is_of_one = true};
  query.targets = {parameters.PathOther()};
  return parameters.Finish(std::move(query));
}

ParsedRead ParseRelationsBody(const http::Routed& routed) {
  Parameters parameters(routed, {"generation", "min_position", "timeout_ms"});
  RelationsQuery query{.user = parameters.PathUser(), .targets = {}};
  query.targets = parameters.BodyUsers(kRelationsPostMax);
  return parameters.Finish(std::move(query));
}

ParsedRead ParseSuggestions(const http::Routed& routed, const Expansions& expansions) {
  Parameters parameters(routed, {"limit", "expand", "generation", "min_position", "timeout_ms"});
  SuggestionsQuery query{.user = parameters.PathUser()};
  query.limit = parameters.Limit();
  parameters.Expand(expansions);
  return parameters.Finish(query);
}

ParsedRead ParseFansExport(const http::Routed& routed) {
  Parameters parameters(routed, {"generation", "min_position", "timeout_ms"});
  return parameters.Finish(FansExportQuery{parameters.PathUser()});
}

ParsedRead ParseProjections(const http::Routed& routed) {
  return Parameters(routed, {"min_position", "timeout_ms"}).Finish(ProjectionsQuery{});
}

}  // namespace fanfold::reader
