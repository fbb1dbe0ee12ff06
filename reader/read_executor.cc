#include "reader/read_executor.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/http/problem.h"
#include "reader/answers.h"
#include "reader/cache/live_reader.h"
#include "reader/fans_export.h"
#include "reader/query_service.h"

namespace fanfold::reader {
namespace {

namespace problems = http::problems;

ReadExecutor::Done HoldUntil(ReadExecutor::Done done, const CallerPtr& caller) {
  caller->Hold();
  return [done = std::move(done), caller](http::Response response) {
    done(std::move(response));
    caller->GoOn([] {});
  };
}

}  // namespace

void ReadExecutor::Execute(ReadRequest request, Done done, CallerPtr caller) {
  Result<Deployment> deployment = board_.Current();
  if (!deployment) {
    Note(deployment.error());
    return done(ReadFailed(deployment.error()));
  }
  if (request.generation) deployment->read.SetAll(*request.generation);
  const std::int32_t partitions = deployment->placement.partitions();
  for (const StreamPosition& asked : request.min_position) {
    if (asked.position.partition.value < partitions) continue;
    return done(
        http::Problem(problems::kInvalidArgument,
                      fmt::format("min_position: there are {} partitions, from 0 on", partitions)));
  }
  if (request.min_position.empty() && !IsLong(request.query)) {
    if (auto answer = FromMemory(request, *deployment, {}, {.at_once = true})) {
      return done(std::move(answer->response));
    }
  }
  // One that takes long, and no more, of a connection: those behind it would fill the queue.
  if (caller && MayBeLong(request.query)) done = HoldUntil(std::move(done), caller);
  std::vector<LanesRead> lanes = LanesOf(request, deployment->placement);
  if (request.generation) {
    if (const Status there = board_.AreThere(lanes, *deployment); !there) {
      const bool comes = there.error().code == ErrorCode::kUnavailable;
      return done(http::Problem(comes ? kStoreUnavailable : problems::kInvalidArgument,
                                there.error().message));
    }
  }
  PositionNeed need{request.min_position, NeedsOf(request.min_position, lanes, *deployment),
                    /*in_tables=*/(request.generation && !live_.Holds(deployment->read)) ||
                        std::holds_alternative<TenantQuery>(request.query)};
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
    if (auto answer = FromMemory(read->request, read->deployment, read->need,
                                 {.at_once = true, .was_fetched = was_fetched})) {
      return read->done(std::move(answer->response));
    }
  }
  Enqueue(read);
}

std::optional<ReadExecutor::Answered> ReadExecutor::FromMemory(const ReadRequest& request,
                                                               const Deployment& deployment,
                                                               const PositionNeed& need,
                                                               const MemoryAsked& how) {
  if (!live_.Holds(deployment.read) || IsOfTables(request.query)) return std::nullopt;
  if (!TablesBeside(request, deployment.placement).empty()) return std::nullopt;
  const Stretches stretches(live_, request);
  if (!gate_.Reached(need)) return std::nullopt;
  const Lag lag = LagAtReader(request, deployment);
  LiveReader lists(live_, fetcher_, deployment, nullptr);
  if (how.was_fetched) lists.CountsAsMissed();
  Result<Answered> answered = Answer(request, deployment, lists, {.at_once = how.at_once});
  if (!answered || answered->rest || !stretches.Last()) return std::nullopt;
  answered->response = WithLag(std::move(answered->response), lag);
  return *std::move(answered);
}

ReadExecutor::Stretches::Stretches(const LiveLists& lists, const ReadRequest& request) {
  all_.fill(&lists);
  if (request.expansion != nullptr) all_[1] = &request.expansion->position();
  if (const auto* live = std::get_if<LiveQuery>(&request.query)) {
    all_[2] = &live->question->position();
  }
  for (std::size_t i = 0; i < all_.size(); ++i) begun_[i] = all_[i]->Stretch();
}

bool ReadExecutor::Stretches::Last() const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (!all_[i]->Lasts(begun_[i])) return false;
  }
  return true;
}

Lag ReadExecutor::LagAtReader(const ReadRequest& request, const Deployment& deployment) const {
  const Expansion* more = request.expansion;
  const auto* live = std::get_if<LiveQuery>(&request.query);
  const auto is_at_end = [&](Projection projection) {
    return gate_.IsAtEnd(projection.stream(), deployment);
  };
  const bool at_end = gate_.IsAtEnd(streams::kRelations, deployment) &&
                      (more == nullptr || is_at_end(more->projection())) &&
                      (live == nullptr || is_at_end(live->question->projection()));
  if (at_end) return {};
  std::vector<LanesRead> lanes = LanesOf(request, deployment.placement);
  const std::vector<LanesRead> beside = TablesBeside(request, deployment.placement);
  std::erase_if(lanes, [&](const LanesRead& lane) {
    return std::ranges::find(beside, lane) != beside.end();
  });
  return gate_.LagAtReader(lanes, deployment);
}

// A place to wait in is for those who have to.
void ReadExecutor::AskAgain(const ReadPtr& read) {
  if (gate_.Reached(read->need)) return Enqueue(read);
  WaitThenAnswer(read);
}

// Whom it asks for is fetched meanwhile.
void ReadExecutor::WaitThenAnswer(const ReadPtr& read) {
  const std::optional<ListsOfUser> missing = MissingFor(*read);
  const Status waits = waits_.Add(
      read->need, read->deadline_ms,
      [this, read, was_missing = missing.has_value()](bool reached) {
        if (reached) return AnswerReached(read, was_missing);
        const std::string unmet = gate_.Missing(read->need);
        const bool at_reader = !read->need.in_tables && live_.running();
        Lag lag = board_.LagOf(
            at_reader ? TablesBeside(read->request, read->deployment.placement) : read->lanes,
            read->deployment);
        if (at_reader) lag = Worse(lag, LagAtReader(read->request, read->deployment));
        read->done(WithLag(http::Problem(kPositionNotReached, unmet), lag));
      },
      read->caller);
  if (!waits) return Refuse(*read, waits.error());
  if (missing) cold_.Prefetch(missing->user, missing->lists, read->caller);
}

void ReadExecutor::Enqueue(const ReadPtr& read) {
  const bool memory_first = MayBeLong(read->request.query) && !read->need.in_tables;
  if (const Status up = ShardsUp(*read); !up && !memory_first) return Refuse(*read, up.error());
  const std::optional<ListsOfUser> missing = MissingFor(*read);
  if (!missing) return Submit(read);
  const auto then = [this, read](const Status& fetched) {
    if (!fetched) return Refuse(*read, fetched.error());
    auto answer = FromMemory(read->request, read->deployment, read->need, {.was_fetched = true});
    if (!answer) return Submit(read);
    read->done(std::move(answer->response));
  };
  const Status taken = cold_.Fetch(missing->user, missing->lists, then, read->caller);
  if (!taken) Refuse(*read, taken.error());
}

std::optional<ListsOfUser> ReadExecutor::MissingFor(const Read& read) {
  std::optional<ListsOfUser> one = ListsOfOneUser(read.request.query);
  if (!one || read.need.in_tables || !live_.Holds(read.deployment.read)) return std::nullopt;
  live_.cache().With(one->user, [&](const HeldLists& held) {
    one->lists.following = one->lists.following && held.following == nullptr;
    one->lists.fans = one->lists.fans && held.fans == nullptr;
  });
  if (!one->lists.following && !one->lists.fans) return std::nullopt;
  return one;
}

Status ReadExecutor::ShardsUp(const Read& read) const {
  for (const Shard shard : ShardsOf(read.lanes)) {
    if (Status up = board_.ShardUp(shard); !up) return up;
  }
  return {};
}

void ReadExecutor::Submit(const ReadPtr& read) {
  const Status taken =
      pool_.Submit([this, read, queued_ms = clock_.SteadyMs()](ShardedReader& readers) {
        RunInTurn(read, queued_ms, readers);
      });
  if (!taken) Refuse(*read, taken.error());
}

void ReadExecutor::Refuse(const Read& read, const Error& error) {
  Note(error);
  read.done(WithLag(ReadFailed(error), board_.LagOf(read.lanes, read.deployment)));
}

void ReadExecutor::Note(const Error& error) {
  if (MayBeTold(error)) return;
  const bool stays =
      error.code == ErrorCode::kRefused || ProblemOf(error.code) == problems::kInternal;
  LogCause(causes_, stays ? LogLevel::kError : LogLevel::kWarning, "reads fail", error.message,
           clock_.SteadyMs());
}

Expand ReadExecutor::ExpandFor(const ReadRequest& request, const Deployment& deployment,
                               const ExpandFrom& from, bool& as_tables_are) {
  if (request.expansion == nullptr) return nullptr;
  return [&](std::span<const UserId> users) -> Result<std::vector<std::string>> {
    Result<ExpandedUsers> expanded = request.expansion->Of(users, deployment, from);
    if (!expanded) return Forward(expanded);
    as_tables_are = expanded->as_tables_are;
    return std::move(expanded->members);
  };
}

Result<ReadExecutor::Answered> ReadExecutor::Answer(const ReadRequest& request,
                                                    const Deployment& deployment,
                                                    ShardedLists& lists, const ExpandFrom& from) {
  QueryService service(lists, deployment);
  if (const auto* exported = std::get_if<FansExportQuery>(&request.query)) {
    Result<ExportPage> page = ReadExportPage(service, *exported);
    if (!page) return Forward(page);
    Answered answered{Ok(std::move(page->lines)), page->next};
    answered.response.content_type = "application/x-ndjson";
    return answered;
  }
  bool as_tables_are = false;
  const Expand expand = ExpandFor(request, deployment, from, as_tables_are);
  if (const auto* live = std::get_if<LiveQuery>(&request.query)) {
    ExpandFrom how = from;
    how.is_head = request.is_head;
    Result<LiveAnswer> answer = live->question->Ask(lists, deployment, how, expand);
    if (!answer) return Forward(answer);
    Answered answered{Ok(std::move(answer->json)), std::nullopt,
                      as_tables_are || answer->as_tables_are};
    answered.response.tells_length = !request.is_head;
    return answered;
  }
  Result<std::string> body = AnswerJson(service, request.query, expand);
  if (!body) return Forward(body);
  return Answered{Ok(*std::move(body)), std::nullopt, as_tables_are};
}

}  // namespace fanfold::reader
