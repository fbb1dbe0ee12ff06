// Answers queries from lists: which shard, which questions, how they meet. No HTTP type.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/ports/projection_reader.h"
#include "common/relation/relation.h"
#include "reader/freshness/lanes_read.h"
#include "reader/queries.h"
#include "reader/suggestions.h"
#include "reader/tables/sharded_reader.h"

namespace fanfold::reader {

struct ListAnswer {
  std::vector<ListedUser> items;
  std::vector<Relation> relations;  // the viewer's to each of items; empty without a viewer
  std::optional<Cursor> next;       // set exactly when more follows
};

struct RelationsAnswer {
  UserId user;
  std::vector<UserId> targets;
  std::vector<Relation> relations;  // user's to each of targets
};

// One object, one query, one thread. Errors are those of ProjectionReader. Everything about a user
// is on that user's shard: a query asks one shard, two where two users meet, and one a user in
// CountsOfMany and Suggestions.
class QueryService {
 public:
  // Both outlive this object.
  QueryService(ShardedLists& lists, const Deployment& deployment)
      : lists_(lists), deployment_(deployment) {}

  [[nodiscard]] Result<ListAnswer> List(const ListQuery& query);
  // Looks at no more than kFollowingScanMax of user's following. A page that ends there may be
  // short, but its cursor goes on.
  [[nodiscard]] Result<ListAnswer> Common(const CommonQuery& query);
  // Considers the newest kFollowingScanMax of those the viewer follows.
  [[nodiscard]] Result<ListAnswer> Known(const KnownQuery& query);
  [[nodiscard]] Result<UserCounts> Counts(const CountsQuery& query);
  [[nodiscard]] Result<std::vector<UserCounts>> CountsOfMany(const CountsOfManyQuery& query);
  [[nodiscard]] Result<RelationsAnswer> Relations(const RelationsQuery& query);
  // From the newest kSuggestionsViasMax whom the user follows, and the newest kSuggestionsEachMax
  // of each one's following. Vias: the newest followed first.
  [[nodiscard]] Result<std::vector<Suggestion>> Suggestions(const SuggestionsQuery& query);

 private:
  [[nodiscard]] Result<ListReader*> Of(UserId user) {
    return lists_.ListsOn(deployment_.placement.ShardOf(user));
  }
  [[nodiscard]] Result<std::vector<ListedUser>> Rows(const ListQuery& query, std::size_t limit);
  [[nodiscard]] Result<std::vector<ListedUser>> Among(Direction list, UserId user,
                                                      std::span<const UserId> others);
  [[nodiscard]] Result<std::vector<Relation>> RelationsTo(UserId viewer,
                                                          std::span<const UserId> others);
  [[nodiscard]] Result<std::vector<ListedUser>> NewestFollowing(UserId user, std::size_t limit);
  [[nodiscard]] Result<std::vector<Via>> ViasOf(UserId user);
  // The first `limit` of those whom the user does not follow.
  [[nodiscard]] Result<std::vector<Suggestion>> NotFollowed(UserId user,
                                                            std::span<const Suggestion> ranked,
                                                            std::size_t limit);

  ShardedLists& lists_;
  const Deployment& deployment_;
};

}  // namespace fanfold::reader
