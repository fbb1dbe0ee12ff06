#include "tests/simulation/read_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/query_service.h"

namespace fanfold::simulation {
namespace {

using List = std::vector<ListedUser>;

class Graph {
 public:
  explicit Graph(const RelationModel& model) : following_(model.following) {}

  [[nodiscard]] std::optional<std::int64_t> Since(UserId subject, UserId object) const {
    const auto list = following_.find(subject);
    if (list == following_.end()) return std::nullopt;
    const auto edge = list->second.find(object);
    if (edge == list->second.end()) return std::nullopt;
    return edge->second;
  }

  // Everybody for whom `since` says something, newest first, then the higher id.
  template <class SinceOf>
  [[nodiscard]] static List Listed(const SinceOf& since_of) {
    List list;
    for (std::uint64_t id = kUsers; id >= 1; --id) {
      if (const std::optional<std::int64_t> since = since_of(UserId(id))) {
        list.push_back({UserId(id), *since});
      }
    }
    std::ranges::stable_sort(list, std::ranges::greater(), &ListedUser::since_ms);
    return list;
  }

  [[nodiscard]] List Following(UserId user) const {
    return Listed([&](UserId other) { return Since(user, other); });
  }
  [[nodiscard]] List Fans(UserId user) const {
    return Listed([&](UserId other) { return Since(other, user); });
  }
  [[nodiscard]] List Friends(UserId user) const {
    return Listed([&](UserId other) -> std::optional<std::int64_t> {
      const auto there = Since(user, other);
      const auto back = Since(other, user);
      if (!there || !back) return std::nullopt;
      return std::max(*there, *back);
    });
  }
  [[nodiscard]] std::string_view RelationTo(UserId viewer, UserId other) const {
    if (viewer == other) return "self";
    const bool follows = Since(viewer, other).has_value();
    const bool followed = Since(other, viewer).has_value();
    if (follows && followed) return "friend";
    if (follows) return "following";
    return followed ? "followed_by" : "none";
  }

 private:
  const std::map<UserId, std::map<UserId, std::int64_t>>& following_;
};

class Checker {
 public:
  Checker(Ground& ground, const RelationModel& model, reader::ShardedLists& lists)
      : ground_(ground),
        graph_(model),
        deployment_{ground.placement, ground.Read()},
        service_(lists, deployment_) {}

  void CheckUser(UserId user) {
    const UserId other(1 + ground_.random.Below(kUsers));
    CheckPages("following", reader::ListKind::kFollowing, user, other, graph_.Following(user));
    CheckPages("fans", reader::ListKind::kFans, user, other, graph_.Fans(user));
    CheckPages("friends", reader::ListKind::kFriends, user, other, graph_.Friends(user));
    const UserCounts expected{user, std::ssize(graph_.Following(user)),
                              std::ssize(graph_.Fans(user)), std::ssize(graph_.Friends(user))};
    const auto counts = Service().Counts({user});
    Expect(counts && *counts == expected, "counts", user);
    CheckRelations(user);
    CheckMeetings(user, other);
    CheckSuggestions(user);
  }

 private:
  reader::QueryService& Service() { return service_; }

  void Expect(bool holds, std::string_view what, UserId user) {
    if (holds) return;
    ground_.oracle.Complain(
        fmt::format("the reader's {} of {} are not the model's", what, user.value));
  }

  // Page after page, each entry with the viewer's relation to it.
  void CheckPages(std::string_view name, reader::ListKind list, UserId user, UserId viewer,
                  const List& expected) {
    reader::ListQuery query{list, user, {}, 1 + ground_.random.Below(expected.size() + 2), viewer};
    List read;
    do {
      const auto page = Service().List(query);
      if (!page || page->relations.size() != page->items.size()) return Expect(false, name, user);
      for (std::size_t i = 0; i < page->items.size(); ++i) {
        read.push_back(page->items[i]);
        Expect(ToString(page->relations[i]) == graph_.RelationTo(viewer, page->items[i].user),
               "relations to a list", user);
      }
      query.start.after = page->next;
    } while (query.start.after);
    Expect(read == expected, name, user);
  }

  void CheckRelations(UserId user) {
    reader::RelationsQuery query{user, {}};
    for (std::uint64_t other = 1; other <= kUsers; ++other) query.targets.emplace_back(other);
    const auto relations = Service().Relations(query);
    for (std::uint64_t other = 1; other <= kUsers; ++other) {
      Expect(relations && ToString(relations->relations.at(other - 1)) ==
                              graph_.RelationTo(user, UserId(other)),
             "relations", user);
    }
  }

  void CheckMeetings(UserId user, UserId other) {
    const auto common = Service().Common({user, other, {}, kUsers});
    Expect(common && common->items == Graph::Listed([&](UserId third) {
                       return graph_.Since(other, third) ? graph_.Since(user, third) : std::nullopt;
                     }),
           "common following", user);
    const auto known = Service().Known({user, other, {}, kUsers});
    Expect(known && known->items == Graph::Listed([&](UserId third) {
                      return graph_.Since(other, third) ? graph_.Since(third, user) : std::nullopt;
                    }),
           "known fans", user);
  }

  void CheckSuggestions(UserId user) {
    std::vector<reader::Suggestion> expected;
    for (std::uint64_t id = 1; id <= kUsers; ++id) {
      const UserId other(id);
      if (other == user || graph_.Since(user, other)) continue;
      const List vias = Graph::Listed([&](UserId via) {
        return graph_.Since(via, other) ? graph_.Since(user, via) : std::nullopt;
      });
      if (vias.empty()) continue;
      expected.push_back({other, std::ssize(vias), {}});
      for (const ListedUser& via : vias | std::views::take(reader::kSuggestionViasTold)) {
        expected.back().via.push_back(via.user);
      }
    }
    std::ranges::sort(expected, std::ranges::greater(), [](const reader::Suggestion& suggestion) {
      return std::pair(suggestion.score, suggestion.user);
    });
    const auto suggestions = Service().Suggestions({user, kUsers});
    Expect(suggestions && *suggestions == expected, "suggestions", user);
  }

  Ground& ground_;
  Graph graph_;
  Deployment deployment_;
  reader::QueryService service_;
};

}  // namespace

void CheckReads(Ground& ground, const RelationModel& model, reader::ShardedLists& lists) {
  Checker checker(ground, model, lists);
  for (std::uint64_t user = 1; user <= kUsers; ++user) checker.CheckUser(UserId(user));
}

}  // namespace fanfold::simulation
