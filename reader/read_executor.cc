#include "reader/read_executor.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/http/problem.h"
#include "reader/lanes_read.h"
#include "reader/projections_view.h"
#include "reader/query_service.h"
#include "reader/response_json.h"

namespace fanfold {
namespace {

using http::ProblemCode;

ProblemCode CodeOf(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kOverloaded:
      return ProblemCode::kOverloaded;
    case ErrorCode::kConflict:
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnknown:
    case ErrorCode::kTimeout:
    case ErrorCode::kRefused:
      return ProblemCode::kStoreUnavailable;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kOutOfRange:
    case ErrorCode::kFenced:
    case ErrorCode::kInternal:
      return ProblemCode::kInternal;
  }
  return ProblemCode::kInternal;
}

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
  Result<std::string> operator()(const ProjectionsQuery&) {
    return Fail(ErrorCode::kInternal, "projections are not read from one user's tables");
  }

 private:
  template <class T>
  static Result<std::string> Json(const Result<T>& answer) {
    if (!answer) return std::unexpected(answer.error());
    return ToJson(*answer);
  }

  QueryService& service_;
};

}  // namespace

struct ReadExecutor::Read {
  ReadRequest request;
  Deployment deployment;  // the generations that are waited for are those that are read
  std::vector<LanesRead> lanes;
  std::vector<LaneNeed> needs;
  Done done;
};

void ReadExecutor::Execute(ReadRequest request, Done done) {
  const Result<Deployment> deployment = board_.Current();
  if (!deployment) {
    return done(http::Problem(ProblemCode::kStoreUnavailable, deployment.error().message));
  }
  const std::int32_t partitions = deployment->placement.partitions();
  for (const Position& position : request.min_position) {
    if (position.partition.value < partitions) continue;
    return done(
        http::Problem(ProblemCode::kInvalidArgument,
                      fmt::format("min_position: there are {} partitions, from 0 on", partitions)));
  }
  std::vector<LanesRead> lanes = LanesOf(request.query, deployment->placement);
  std::vector<LaneNeed> needs = NeedsOf(request.min_position, lanes, *deployment);
  const auto read = std::make_shared<const Read>(
      Read{std::move(request), *deployment, std::move(lanes), std::move(needs), std::move(done)});
  // A shard known to be away must not hold the workers that the others need.
  for (const Shard shard : ShardsOf(read->lanes)) {
    if (const Status up = board_.ShardUp(shard); !up) return Refuse(*read, up.error());
  }
  if (board_.Reached(read->needs)) {
    Enqueue(read);
  } else {
    WaitThenEnqueue(read);
  }
}

void ReadExecutor::WaitThenEnqueue(const ReadPtr& read) {
  const std::int64_t deadline_ms = clock_.SteadyMs() + read->request.timeout_ms;
  const Status waits = waits_.Add(read->needs, deadline_ms, [this, read](bool reached) {
    if (reached) return Enqueue(read);
    const std::string missing = board_.Missing(read->needs);
    Finish(*read, http::Problem(ProblemCode::kPositionNotReached, missing),
           board_.LagOf(read->lanes, read->deployment));
  });
  if (!waits) Refuse(*read, waits.error());
}

void ReadExecutor::Enqueue(const ReadPtr& read) {
  const Status taken = pool_.Submit([this, read](ShardedReader& readers) {
    // Before the rows: they may be newer than the lag that is told, never older.
    const Lag lag = FreshLag(*read, readers);
    Result<std::string> body = Answer(*read, readers);
    if (!body) return Refuse(*read, body.error());
    http::Response response;
    response.body = *std::move(body);
    Finish(*read, std::move(response), lag);
  });
  if (!taken) Refuse(*read, taken.error());
}

void ReadExecutor::Finish(const Read& read, http::Response response, Lag lag) const {
  response.headers.emplace_back("Fanfold-Lag-Ms", std::to_string(lag.ms));
  read.done(std::move(response));
}

void ReadExecutor::Refuse(const Read& read, const Error& error) const {
  Finish(read, http::Problem(CodeOf(error.code), error.message),
         board_.LagOf(read.lanes, read.deployment));
}

Lag ReadExecutor::FreshLag(const Read& read, ShardedReader& readers) {
  const Lag lag = board_.LagOf(read.lanes, read.deployment);
  if (lag.ms == 0) return lag;
  for (const Shard shard : ShardsOf(read.lanes)) {
    if (board_.LanesAgeMs(shard) <= kLanesFreshMs) continue;
    const Result<ProjectionReader*> reader = readers.On(shard);
    if (!reader) continue;
    Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
    if (lanes) board_.SetLanes(shard, *std::move(lanes));
  }
  return board_.LagOf(read.lanes, read.deployment);
}

Result<std::string> ReadExecutor::Answer(const Read& read, ShardedReader& readers) {
  if (std::holds_alternative<ProjectionsQuery>(read.request.query)) {
    return AnswerProjections(read, readers);
  }
  QueryService service(readers, read.deployment);
  return std::visit(Answerer(service), read.request.query);
}

Result<std::string> ReadExecutor::AnswerProjections(const Read& read, ShardedReader& readers) {
  for (const Shard shard : ShardsOf(read.lanes)) {
    const Result<ProjectionReader*> reader = readers.On(shard);
    if (!reader) return std::unexpected(reader.error());
    Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
    if (!lanes) return Forward(lanes);
    board_.SetLanes(shard, *std::move(lanes));
  }
  const auto [table, now_ms] = board_.Table();
  return ToJson(ViewProjections(table, read.deployment, now_ms));
}

}  // namespace fanfold
