// The part of answers.h that asks.
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reader/answers.h"

namespace fanfold::reader {
namespace {

// One kind of query, answered as JSON.
class Answerer {
 public:
  Answerer(QueryService& service, const Expand& expand) : service_(service), expand_(expand) {}

  Result<std::string> operator()(const ListQuery& query) { return Json(service_.List(query)); }
  Result<std::string> operator()(const CommonQuery& query) { return Json(service_.Common(query)); }
  Result<std::string> operator()(const KnownQuery& query) { return Json(service_.Known(query)); }
  Result<std::string> operator()(const CountsQuery& query) { return Json(service_.Counts(query)); }
  Result<std::string> operator()(const CountsOfManyQuery& query) {
    return Json(service_.CountsOfMany(query));
  }
  Result<std::string> operator()(const RelationsQuery& query) {
    const Result<RelationsAnswer> answer = service_.Relations(query);
    if (!answer) return std::unexpected(answer.error());
    return ToJson(*answer);
  }
  Result<std::string> operator()(const SuggestionsQuery& query) {
    return Json(service_.Suggestions(query));
  }
  Result<std::string> operator()(const FansExportQuery&) { return NotHere(); }
  Result<std::string> operator()(const ProjectionsQuery&) { return NotHere(); }

 private:
  static Result<std::string> NotHere() {
    return Fail(ErrorCode::kInternal, "this is not answered as one JSON from one user's tables");
  }
  static std::span<const ListedUser> UsersIn(const ListAnswer& answer) { return answer.items; }
  static std::span<const UserCounts> UsersIn(const UserCounts& counts) { return {&counts, 1}; }
  static std::span<const UserCounts> UsersIn(const std::vector<UserCounts>& all) { return all; }
  static std::span<const Suggestion> UsersIn(const std::vector<Suggestion>& all) { return all; }

  template <class T>
  Result<std::string> Json(const Result<T>& answer) const {
    if (!answer) return std::unexpected(answer.error());
    if (!expand_) return ToJson(*answer);
    std::vector<UserId> users;
    for (const auto& each : UsersIn(*answer)) users.push_back(each.user);
    const Result<std::vector<std::string>> members = expand_(users);
    if (!members) return std::unexpected(members.error());
    return ToJson(*answer, *members);
  }

  QueryService& service_;
  const Expand& expand_;
};

}  // namespace

Result<std::string> AnswerJson(QueryService& service, const ReadQuery& query,
                               const Expand& expand) {
  return std::visit(Answerer(service, expand), query);
}

}  // namespace fanfold::reader
