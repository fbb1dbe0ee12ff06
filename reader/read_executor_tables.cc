// The half of ReadExecutor that asks the tables, on a worker.
#include <algorithm>
#include <utility>
#include <variant>

#include "common/http/problem.h"
#include "reader/answers.h"
#include "reader/cache/live_reader.h"
#include "reader/fans_export.h"
#include "reader/freshness/projections_report.h"
#include "reader/read_executor.h"

namespace fanfold::reader {
namespace {

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

void ReadExecutor::RunInTurn(const ReadPtr& read, std::int64_t queued_ms, ShardedReader& readers) {
  // An export that is asked for its next page has taken the one before, whatever its client sends.
  if (!read->exported && read->caller && read->caller->is_gone()) {
    return Refuse(*read, Error{ErrorCode::kOverloaded, "the connection was gone first"});
  }
  // What has begun is worth a wait.
  const bool in_time = read->exported || clock_.SteadyMs() - queued_ms <= QueryPool::kQueuedMaxMs;
  if (MayBeLong(read->request.query) && !read->need.in_tables && in_time) {
    if (auto answer = FromMemory(read->request, read->deployment, read->need, {})) {
      return Tell(*read, *std::move(answer));
    }
  }
  if (const Status up = ShardsUp(*read); !up) return Refuse(*read, up.error());
  TimedReader timed(readers, clock_, TablesUntilMs(*read));
  if (in_time) return Run(read, timed);
  Refuse(*read, Error{ErrorCode::kOverloaded, "no worker was free in time"});
}

std::int64_t ReadExecutor::TablesUntilMs(const Read& read) const {
  return kTablesMaxMs + std::min(clock_.SteadyMs(), read.deadline_ms + QueryPool::kQueuedMaxMs);
}

void ReadExecutor::Run(const ReadPtr& read, ShardedReader& readers) {
  const bool at_reader = !IsOfTables(read->request.query) && !read->need.in_tables;
  if (at_reader && live_.Holds(read->deployment.read)) return RunAtReader(read, readers);
  if (!gate_.ReachedInTables(read->need)) return ReadTables(*read);
  // Before the rows: they may be newer than the lag that is told, never older.
  const Lag lag = gate_.FreshLagOfTables(read->lanes, read->deployment, readers);
  Result<Answered> answered = AnswerOfTables(*read, readers);
  if (!answered) return Refuse(*read, answered.error());
  answered->response = WithLag(std::move(answered->response), lag);
  Tell(*read, *std::move(answered));
}

void ReadExecutor::RunAtReader(const ReadPtr& read, ShardedReader& readers) {
  const Stretches stretches(live_, read->request);
  if (!gate_.Reached(read->need)) return WaitThenAnswer(read);
  // All three before the rows, which may be newer, never older.
  const Lag beside = gate_.FreshLagOfTables(TablesBeside(read->request, read->deployment.placement),
                                            read->deployment, readers);
  const Lag lag = Worse(beside, LagAtReader(read->request, read->deployment));
  const Lag lag_of_tables = board_.LagOf(read->lanes, read->deployment);
  const bool in_tables = gate_.ReachedInTables(read->need);
  LiveReader lists(live_, fetcher_, read->deployment, &readers);
  Result<Answered> answered =
      Answer(read->request, read->deployment, lists, {.memory = true, .tables = &readers});
  if (!answered) return Refuse(*read, answered.error());
  const bool at_reader = !lists.as_tables_are() && !answered->rest_as_tables_are;
  // Of an export that goes on all pages are the tables': they may stand behind the reader for long.
  if (answered->rest || (!at_reader && !in_tables)) return ReadTables(*read);
  // The reader's position may have been lower meanwhile than when the position was asked for.
  if (at_reader && !stretches.Last()) return AskAgain(read);
  answered->response = WithLag(std::move(answered->response), at_reader ? lag : lag_of_tables);
  Tell(*read, *std::move(answered));
}

// The reader's position may have passed the positions: the tables have to have come there too.
void ReadExecutor::ReadTables(Read read) {
  read.need.in_tables = true;
  AskAgain(std::make_shared<const Read>(std::move(read)));
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

Result<ReadExecutor::Answered> ReadExecutor::AnswerOfTables(const Read& read,
                                                            ShardedReader& readers) {
  if (std::holds_alternative<ProjectionsQuery>(read.request.query)) {
    return AnswerProjections(read, readers);
  }
  if (std::holds_alternative<TenantQuery>(read.request.query)) return AnswerTenant(read, readers);
  return Answer(read.request, read.deployment, readers, {.memory = false, .tables = &readers});
}

Result<ReadExecutor::Answered> ReadExecutor::AnswerTenant(const Read& read,
                                                          ShardedReader& readers) {
  const ExpandFrom from{.memory = false, .tables = &readers};
  bool as_tables_are = true;
  const Expand expand = ExpandFor(read.request, read.deployment, from, as_tables_are);
  Result<std::optional<std::string>> json =
      std::get<TenantQuery>(read.request.query).question->Ask(readers, read.deployment, expand);
  if (!json) return Forward(json);
  if (*json) return Answered{Ok(**std::move(json))};
  return Answered{http::Problem(http::problems::kNotFound, "there is none")};
}

Result<ReadExecutor::Answered> ReadExecutor::AnswerProjections(const Read& read,
                                                               ShardedReader& readers) {
  Status looked = gate_.LookAtLanes(read.lanes, readers);
  if (!looked) return Forward(looked);
  const auto [table, now_ms] = board_.Table();
  return Answered{Ok(ToJson(ReportProjections(table, read.deployment, now_ms)))};
}

}  // namespace fanfold::reader
