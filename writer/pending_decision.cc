#include "writer/pending_decision.h"

#include <fmt/format.h>
#include <utility>

#include "writer/append_answer.h"
#include "writer/command_policy.h"

namespace fanfold::writer {
namespace {

std::string WhyRejected(const Outcome& outcome) {
  std::string why = fmt::format("rejected: {}", ToString(*outcome.rejected));
  if (outcome.limit > 0) {
    why += fmt::format(", {} follows at most {}", outcome.subject.value, outcome.limit);
  }
  return why;
}

Answer AnswerOfOutcome(const Outcome& outcome) {
  Logged logged{outcome.event_id, outcome.position};
  if (outcome.rejected) {
    return std::unexpected(
        Refusal{RefusalOf(*outcome.rejected), WhyRejected(outcome), std::move(logged)});
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
    : event_id_(std::move(event_id)), pending_(std::move(answered)) {}

void PendingDecision::Acked(const Result<Position>& appended) {
  pending_.Acked(AnswerOfAppend(streams::kRelations, event_id_, appended));
}

void PendingDecision::Decided(const std::optional<Outcome>& outcome) {
  pending_.Decided(outcome ? std::optional(AnswerOfOutcome(*outcome)) : std::nullopt);
}

}  // namespace fanfold::writer
