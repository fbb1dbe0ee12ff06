#include "reader/read_executor.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/logging.h"
#include "common/http/problem.h"
#include "common/ports/deployment_check.h"
#include "reader/cache/live_reader.h"
#include "reader/fans_export.h"
#include "reader/freshness/projections_view.h"
#include "reader/query_lanes.h"
#include "reader/query_service.h"
#include "reader/read_answers.h"
#include "reader/response_json.h"

namespace fanfold::reader {
namespace {

namespace problems = http::problems;

// Takes longer than an IO thread has for one request, also with all it needs in memory.
bool IsLong(const ReadQuery& query) {
  return std::holds_alternative<SuggestionsQuery>(query) ||
         std::holds_alternative<FansExportQuery>(query);
}

// The tables until a deadline.
class TimedReader final : public ShardedReader {
 public:
  TimedReader(ShardedReader& readers, const Clock& clock, std::int64_t deadline_ms)
      : readers_(readers), clock_(clock), deadline_ms_(deadline_ms) {}

  Result<ProjectionReader*> On(Shard shard) override {
    if (clock_.SteadyMs() <= deadline_ms_) return readers_.On(shard);
    return Fail(ErrorCode::kTimeout, "the tables take too long to answer all of it");
  }

 private:
  ShardedReader& readers_;
  const Clock& clock_;
  const std::int64_t deadline_ms_;
};

}  // namespace

struct ReadExecutor::Read {
  ReadRequest request;
  Deployment deployment;  // the generations that are waited for are those that are read
  std::vector<LanesRead> lanes;
  PositionNeed need;
  std::int64_t deadline_ms = 0;  // of all waits together
  Done done;
  CallerPtr caller;
  std::shared_ptr<FansExport> exported;  // of whose first page this is not
};

struct ReadExecutor::Answered {
  http::Response response;
  std::optional<Cursor> rest = std::nullopt;  // of an export that goes on: behind which fan
};

struct ReadExecutor::Missing {
  UserId user;
  ListsNeeded lists;
};

void ReadExecutor::Execute(ReadRequest request, Done done, CallerPtr caller) {
  Result<Deployment> deployment = board_.Current();
  if (!deployment) {
    return done(http::Problem(kStoreUnavailable, deployment.error().message));
  }
  if (request.generation) deployment->read.SetAll(*request.generation);
  const std::int32_t partitions = deployment->placement.partitions();
  for (const Position& position : request.min_position) {
    if (position.partition.value < partitions) continue;
    return done(
        http::Problem(problems::kInvalidArgument,
                      fmt::format("min_position: there are {} partitions, from 0 on", partitions)));
  }
  if (request.min_position.empty() && !IsLong(request.query)) {
    if (auto answer = FromMemory(request.query, *deployment, {})) {
      return done(std::move(answer->response));
    }
  }
  std::vector<LanesRead> lanes = LanesOf(request.query, deployment->placement);
  if (request.generation) {
    if (const Status there = board_.AreThere(lanes, *deployment); !there) {
      return done(http::Problem(problems::kInvalidArgument, there.error().message));
    }
  }
  PositionNeed need{request.min_position, NeedsOf(request.min_position, lanes, *deployment),
                    /*in_tables=*/request.generation && !live_.Holds(deployment->read)};
  const std::int64_t deadline_ms = clock_.SteadyMs() + request.timeout_ms;
  const auto read = std::make_shared<const Read>(
      Read{std::move(request), *deployment, std::move(lanes), std::move(need), deadline_ms,
           std::move(done), std::move(caller), nullptr});
  if (read->request.min_position.empty()) return Enqueue(read);
  if (gate_.Reached(read->need)) return AnswerReached(read);
  WaitThenAnswer(read);
}

void ReadExecutor::AnswerReached(const ReadPtr& read, bool was_fetched) {
  if (!read->need.in_tables && !IsLong(read->request.query)) {
    if (auto answer = FromMemory(read->request.query, read->deployment, read->need, was_fetched)) {
      return read->done(std::move(answer->response));
    }
  }
  Enqueue(read);
}

std::optional<ReadExecutor::Answered> ReadExecutor::FromMemory(const ReadQuery& query,
                                                               const Deployment& deployment,
                                                               const PositionNeed& need,
                                                               bool was_fetched) {
  if (!live_.Holds(deployment.read) || std::holds_alternative<ProjectionsQuery>(query)) {
    return std::nullopt;
  }
  const std::uint64_t stretch = live_.Stretch();
  if (!gate_.Reached(need)) return std::nullopt;
  const Lag lag = LagAtR(query, deployment);
  LiveReader lists(live_, loader_, deployment, nullptr);
  if (was_fetched) lists.CountsAsMissed();
  Result<Answered> answered = Answer(query, deployment, lists);
  if (!answered || answered->rest || !live_.Lasts(stretch)) return std::nullopt;
  answered->response = WithLag(std::move(answered->response), lag);
  return *std::move(answered);
}

// A place to wait in is for those who have to.
void ReadExecutor::AskAgain(const ReadPtr& read) {
  if (gate_.Reached(read->need)) return Enqueue(read);
  WaitThenAnswer(read);
}

// Whom it asks for is fetched meanwhile.
void ReadExecutor::WaitThenAnswer(const ReadPtr& read) {
  const std::optional<Missing> missing = MissingFor(*read);
  const Status waits = waits_.Add(
      read->need, read->deadline_ms,
      [this, read, was_missing = missing.has_value()](bool reached) {
        if (reached) return AnswerReached(read, was_missing);
        const std::string unmet = gate_.Missing(read->need);
        const Lag lag = read->need.in_tables || !live_.running()
                            ? board_.LagOf(read->lanes, read->deployment)
                            : LagAtR(read->request.query, read->deployment);
        read->done(WithLag(http::Problem(kPositionNotReached, unmet), lag));
      },
      read->caller);
  if (!waits) return Refuse(*read, waits.error());
  if (missing) cold_.Prefetch(missing->user, missing->lists, read->caller);
}

void ReadExecutor::Enqueue(const ReadPtr& read) {
  const bool memory_first = IsLong(read->request.query) && !read->need.in_tables;
  if (const Status up = ShardsUp(*read); !up && !memory_first) return Refuse(*read, up.error());
  const std::optional<Missing> missing = MissingFor(*read);
  if (!missing) return Submit(read);
  const auto then = [this, read](const Status& fetched) {
    if (!fetched) return Refuse(*read, fetched.error());
    auto answer = FromMemory(read->request.query, read->deployment, read->need, true);
    if (!answer) return Submit(read);
    read->done(std::move(answer->response));
  };
  const Status taken = cold_.Fetch(missing->user, missing->lists, then, read->caller);
  if (!taken) Refuse(*read, taken.error());
}

// What the answer is made of, where that is one user's lists.
std::optional<ReadExecutor::Missing> ReadExecutor::AsksForOne(const ReadQuery& query) {
  constexpr ListsNeeded kBoth{.following = true, .fans = true};
  if (const auto* counts = std::get_if<CountsQuery>(&query)) return Missing{counts->user, kBoth};
  if (const auto* relations = std::get_if<RelationsQuery>(&query)) {
    return Missing{relations->user, kBoth};
  }
  const auto* page = std::get_if<ListQuery>(&query);
  if (page == nullptr || page->viewer) return std::nullopt;
  return Missing{
      page->user,
      {.following = page->list != ListKind::kFans, .fans = page->list != ListKind::kFollowing}};
}

std::optional<ReadExecutor::Missing> ReadExecutor::MissingFor(const Read& read) {
  std::optional<Missing> one = AsksForOne(read.request.query);
  if (!one || read.need.in_tables || !live_.Holds(read.deployment.read)) return std::nullopt;
  live_.cache().With(one->user, [&](const HeldLists& held) {
    one->lists.following = one->lists.following && held.following == nullptr;
    one->lists.fans = one->lists.fans && held.fans == nullptr;
  });
  if (!one->lists.following && !one->lists.fans) return std::nullopt;
  return one;
}

void ReadExecutor::Submit(const ReadPtr& read) {
  const bool memory_first = IsLong(read->request.query) && !read->need.in_tables;
  const std::int64_t queued_ms = clock_.SteadyMs();
  const Status taken = pool_.Submit([=, this](ShardedReader& readers) {
    // Whoever is asked for the next page has taken the one before, whatever he still sends.
    if (!read->exported && read->caller && read->caller->is_gone()) {
      return Refuse(*read, Error{ErrorCode::kOverloaded, "the connection was gone first"});
    }
    // What has begun is worth a wait.
    const bool in_time = read->exported || clock_.SteadyMs() - queued_ms <= QueryPool::kQueuedMaxMs;
    if (memory_first && in_time) {
      if (auto answer = FromMemory(read->request.query, read->deployment, read->need)) {
        return Tell(*read, *std::move(answer));
      }
    }
    if (const Status up = ShardsUp(*read); !up) return Refuse(*read, up.error());
    TimedReader timed(readers, clock_, TablesUntilMs(*read));
    if (in_time) return Run(read, timed);
    Refuse(*read, Error{ErrorCode::kOverloaded, "no worker was free in time"});
  });
  if (!taken) Refuse(*read, taken.error());
}

std::int64_t ReadExecutor::TablesUntilMs(const Read& read) const {
  return kTablesMaxMs + std::min(clock_.SteadyMs(), read.deadline_ms + QueryPool::kQueuedMaxMs);
}

Status ReadExecutor::ShardsUp(const Read& read) const {
  for (const Shard shard : ShardsOf(read.lanes)) {
    if (Status up = board_.ShardUp(shard); !up) return up;
  }
  return {};
}

void ReadExecutor::Refuse(const Read& read, const Error& error) {
  const bool passes =
      error.code != ErrorCode::kRefused && ProblemOf(error.code) != problems::kInternal;
  const std::int64_t times = passes ? 0 : causes_.Tell(error.message, clock_.SteadyMs());
  if (times > 0) LogError("reads fail", {{"why", error.message}, {"times", times}});
  read.done(WithLag(http::Problem(ProblemOf(error.code), error.message),
                    board_.LagOf(read.lanes, read.deployment)));
}

void ReadExecutor::Run(const ReadPtr& read, ShardedReader& readers) {
  const bool projections = std::holds_alternative<ProjectionsQuery>(read->request.query);
  const bool at_r = !projections && !read->need.in_tables;
  if (at_r && live_.Holds(read->deployment.read)) return RunAtR(read, readers);
  if (!gate_.ReachedInTables(read->need)) return ReadTables(*read);
  // Before the rows: they may be newer than the lag that is told, never older.
  const Lag lag = FreshLag(*read, readers);
  Result<Answered> answered = projections ? AnswerProjections(*read, readers)
                                          : Answer(read->request.query, read->deployment, readers);
  if (!answered) return Refuse(*read, answered.error());
  answered->response = WithLag(std::move(answered->response), lag);
  Tell(*read, *std::move(answered));
}

void ReadExecutor::RunAtR(const ReadPtr& read, ShardedReader& readers) {
  const std::uint64_t stretch = live_.Stretch();
  if (!gate_.Reached(read->need)) return WaitThenAnswer(read);
  // All three before the rows, which may be newer, never older.
  const Lag lag = LagAtR(read->request.query, read->deployment);
  const Lag lag_of_tables = board_.LagOf(read->lanes, read->deployment);
  const bool in_tables = gate_.ReachedInTables(read->need);
  LiveReader lists(live_, loader_, read->deployment, &readers);
  Result<Answered> answered = Answer(read->request.query, read->deployment, lists);
  if (!answered) return Refuse(*read, answered.error());
  const bool at_r = !lists.as_tables_are();
  // Of an export that goes on all pages are the tables': they may stand behind R for long.
  if (answered->rest || (!at_r && !in_tables)) return ReadTables(*read);
  // R may have been lower meanwhile than when the position was asked for.
  if (at_r && !live_.Lasts(stretch)) return AskAgain(read);
  answered->response = WithLag(std::move(answered->response), at_r ? lag : lag_of_tables);
  Tell(*read, *std::move(answered));
}

// R may have passed the positions: the tables have to have come there too.
void ReadExecutor::ReadTables(Read read) {
  read.need.in_tables = true;
  AskAgain(std::make_shared<const Read>(std::move(read)));
}

Result<ReadExecutor::Answered> ReadExecutor::Answer(const ReadQuery& query,
                                                    const Deployment& deployment,
                                                    ShardedLists& lists) {
  QueryService service(lists, deployment);
  if (const auto* exported = std::get_if<FansExportQuery>(&query)) {
    Result<ExportPage> page = ReadExportPage(service, *exported);
    if (!page) return Forward(page);
    Answered answered{Ok(std::move(page->lines)), page->next};
    answered.response.content_type = "application/x-ndjson";
    return answered;
  }
  Result<std::string> body = AnswerJson(service, query);
  if (!body) return Forward(body);
  return Answered{Ok(*std::move(body))};
}

void ReadExecutor::Tell(const Read& read, Answered answered) {
  if (answered.rest) {
    const std::shared_ptr<FansExport> exported = read.exported ? read.exported : NewExport(read);
    exported->GoOnAt({std::get<FansExportQuery>(read.request.query).user, answered.rest});
    answered.response.stream = exported->Rest();
  }
  read.done(std::move(answered.response));
}

std::shared_ptr<FansExport> ReadExecutor::NewExport(const Read& begun) {
  Read page = begun;
  page.done = nullptr;  // holds the connection
  page.need.in_tables = true;
  return std::make_shared<FansExport>(
      [this, page](std::shared_ptr<FansExport> exported, FansExport::PageDone done) {
        auto next = std::make_shared<Read>(page);
        next->request.query = exported->next();
        next->deadline_ms = clock_.SteadyMs() + kPositionTimeoutMaxMs;
        next->done = std::move(done);
        next->exported = std::move(exported);
        Enqueue(next);
      });
}

Lag ReadExecutor::LagAtR(const ReadQuery& query, const Deployment& deployment) const {
  const std::int32_t partitions = deployment.placement.partitions();
  const auto ends = board_.Ends().first(static_cast<std::size_t>(partitions));
  if (live_.PassedAll(ends) && !board_.EndsAreStale()) return {};
  Lag worst;
  const auto add = [&](Partition partition) {
    const Lag lag = board_.LagBehind(partition, live_.Next(partition).value_or(Offset(0)));
    worst.ms = std::max(worst.ms, lag.ms);
  };
  for (const LanesRead& read : LanesOf(query, deployment.placement)) {
    if (read.partition) {
      add(*read.partition);
      continue;
    }
    for (std::int32_t p = 0; p < partitions; ++p) add(Partition(p));
  }
  return worst;
}

Lag ReadExecutor::FreshLag(const Read& read, ShardedReader& readers) {
  const Lag lag = board_.LagOf(read.lanes, read.deployment);
  if (lag.ms == 0) return lag;
  for (const Shard shard : ShardsOf(read.lanes)) {
    if (board_.LanesAgeMs(shard) <= kLanesFreshMs) continue;
    (void)LookAtLanes(shard, readers, read.deployment);
  }
  return board_.LagOf(read.lanes, read.deployment);
}

// This session may lead elsewhere than the one that looks at the shard.
Status ReadExecutor::LookAtLanes(Shard shard, ShardedReader& readers,
                                 const Deployment& deployment) {
  const Result<ProjectionReader*> reader = readers.On(shard);
  if (!reader) return std::unexpected(reader.error());
  Result<std::vector<LaneStatus>> lanes = (*reader)->Lanes();
  if (!lanes) return Forward(lanes);
  const Status fits = CheckLanes(shard, deployment.placement, *lanes);
  if (!fits) return Fail(ErrorCode::kUnavailable, fits.error().message);
  board_.SetLanes(shard, *std::move(lanes));
  return {};
}

Result<ReadExecutor::Answered> ReadExecutor::AnswerProjections(const Read& read,
                                                               ShardedReader& readers) {
  for (const Shard shard : ShardsOf(read.lanes)) {
    if (Status looked = LookAtLanes(shard, readers, read.deployment); !looked) {
      return Forward(looked);
    }
  }
  const auto [table, now_ms] = board_.Table();
  return Answered{Ok(ToJson(ViewProjections(table, read.deployment, now_ms)))};
}

}  // namespace fanfold::reader
