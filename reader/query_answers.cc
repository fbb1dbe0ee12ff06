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
  Result<std::string> operator()(const CountsQuery& query) {
    return JsonOfNamed({&query.user, 1}, [&] { return service_.Counts(query); });
  }
  Result<std::string> operator()(const CountsOfManyQuery& query) {
    return JsonOfNamed(query.users, [&] { return service_.CountsOfMany(query); });
  }
  Result<std::string> operator()(const RelationsQuery& query) {
    const Result<RelationsAnswer> answer = service_.Relations(query);
    if (!answer) return std::unexpected(answer.error());
    return query.is_of_one ? ToJsonOfOne(*answer) : ToJson(*answer);
  }
  Result<std::string> operator()(const SuggestionsQuery& query) {
    return Json(service_.Suggestions(query));
  }
  Result<std::string> operator()(const FansExportQuery&) { return NotHere(); }
  Result<std::string> operator()(const ProjectionsQuery&) { return NotHere(); }
  Result<std::string> operator()(const TenantQuery&) { return NotHere(); }
  Result<std::string> operator()(const LiveQuery&) { return NotHere(); }

 private:
  static Result<std::string> NotHere() {
    return Fail(ErrorCode::kInternal, "this is not answered as one JSON from one user's tables");
  }
  static std::span<const ListedUser> UsersIn(const ListAnswer& answer) { return answer.items; }
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

  // What else is told of users comes first where the query names them: counts may be newer than it,
  // never older. So an account's end that is told as done has ended in them.
  template <class Ask>
  Result<std::string> JsonOfNamed(std::span<const UserId> users, const Ask& ask) const {
    Result<std::vector<std::string>> members;
    if (expand_) members = expand_(users);
    if (!members) return std::unexpected(members.error());
    const auto counts = ask();
    if (!counts) return std::unexpected(counts.error());
    return ToJson(*counts, *members);
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
