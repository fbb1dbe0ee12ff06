#include "reader/read_answers.h"

#include <utility>
#include <variant>

#include "reader/response_json.h"

namespace fanfold::reader {
namespace {

namespace problems = http::problems;

// One kind of query, answered as JSON.
class Answerer {
 public:
  explicit Answerer(QueryService& service) : service_(service) {}

  Result<std::string> operator()(const ListQuery& query) { return Json(service_.List(query)); }
  Result<std::string> operator()(const CommonQuery& query) { return Json(service_.Common(query)); }
  Result<std::string> operator()(const KnownQuery& query) { return Json(service_.Known(query)); }
  Result<std::string> operator()(const CountsQuery& query) { return Json(service_.Counts(query)); }
  Result<std::string> operator()(const CountsOfManyQuery& query) {
    return Json(service_.CountsOfMany(query));
  }
  Result<std::string> operator()(const RelationsQuery& query) {
    return Json(service_.Relations(query));
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
  template <class T>
  static Result<std::string> Json(const Result<T>& answer) {
    if (!answer) return std::unexpected(answer.error());
    return ToJson(*answer);
  }

  QueryService& service_;
};

}  // namespace

http::ProblemKind ProblemOf(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kOverloaded:
      return problems::kOverloaded;
    case ErrorCode::kConflict:
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnknown:
    case ErrorCode::kTimeout:
    case ErrorCode::kRefused:
      return kStoreUnavailable;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kOutOfRange:
    case ErrorCode::kFenced:
    case ErrorCode::kInternal:
      return problems::kInternal;
  }
  return problems::kInternal;
}

Result<std::string> AnswerJson(QueryService& service, const ReadQuery& query) {
  return std::visit(Answerer(service), query);
}

http::Response WithLag(http::Response response, Lag lag) {
  response.headers.emplace_back("Fanfold-Lag-Ms", std::to_string(lag.ms));
  return response;
}

http::Response Ok(std::string body) {
  http::Response response;
  response.body = std::move(body);
  return response;
}

}  // namespace fanfold::reader
