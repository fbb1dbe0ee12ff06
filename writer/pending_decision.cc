#include "writer/pending_decision.h"

#include <fmt/format.h>
#include <utility>

#include "writer/append_answer.h"
#include "writer/command_policy.h"

namespace fanfold::writer {
namespace {

Answer AnswerOfOutcome(const Outcome& outcome) {
  Logged logged{outcome.event_id, outcome.position};
  if (outcome.rejected) {
    return std::unexpected(Refusal{RefusalOf(*outcome.rejected),
                                   fmt::format("rejected: {}", ToString(*outcome.rejected)),
                                   std::move(logged)});
  }
  if (outcome.parked) {
    return std::unexpected(Refusal{RefusalCode::kParked,
                                   fmt::format("parked: {}", ToString(*outcome.parked)),
                                   std::move(logged)});
  }
  return Accepted{std::move(logged), outcome.kind};
}

}  // namespace

PendingDecision::PendingDecision(std::string event_id, CommandService::Answered answered)
    : event_id_(std::move(event_id)), answered_(std::move(answered)) {}

void PendingDecision::Acked(const Result<Position>& appended) {
  Answer answer = AnswerOfAppend(streams::kRelations, event_id_, appended);
  {
    const std::lock_guard lock(mutex_);
    if (answer && !out_of_time_) {
      acked_ = std::move(answer);
      return;
    }
  }
  AnswerOnce(std::move(answer));
}

void PendingDecision::Decided(const std::optional<Outcome>& outcome) {
  if (outcome) return AnswerOnce(AnswerOfOutcome(*outcome));
  std::optional<Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    out_of_time_ = true;
    answer = std::move(acked_);
  }
  if (answer) AnswerOnce(std::move(*answer));
}

void PendingDecision::AnswerOnce(Answer answer) {
  CommandService::Answered answered;
  {
    const std::lock_guard lock(mutex_);
    answered = std::exchange(answered_, nullptr);
  }
  if (answered) answered(std::move(answer));
}

}  // namespace fanfold::writer
