#include "writer/counted_replies.h"

#include <string>
#include <utility>

#include "writer/answers.h"

namespace fanfold::writer {

CountedReplies::CountedReplies(Metrics& metrics)
    : metrics_(metrics),
      wait_timeouts_(metrics.GetCounter("fanfold_writer_wait_timeouts_total",
                                        "Waits for an outcome that ran out of time")) {
  // Alerts stand on these, and a series that begins above 0 has no rate.
  (void)CounterOf(RefusalCode::kLogUnavailable);
  (void)CounterOf(RefusalCode::kOverloaded);
}

void CountedReplies::Send(const Answer& answer, const http::Reply& reply) const {
  if (!answer) return Refuse(answer.error(), reply);
  reply(ResponseOf(*answer));
}

void CountedReplies::Send(const std::vector<Answer>& answers, const http::Reply& reply) const {
  for (const Answer& answer : answers) {
    if (!answer) Count(answer.error().code);
  }
  reply(ResponseOf(answers));
}

void CountedReplies::Refuse(const Refusal& refusal, const http::Reply& reply) const {
  Count(refusal.code);
  reply(ResponseOf(refusal));
}

void CountedReplies::RefuseParameter(http::Response response, const http::Reply& reply) const {
  Count(RefusalCode::kUnknownParameter);
  reply(std::move(response));
}

Counter& CountedReplies::CounterOf(RefusalCode code) const {
  return metrics_.GetCounter("fanfold_writer_refused_total", "Events and requests refused, by code",
                             {{"code", std::string(ProblemOf(code).code)}});
}

}  // namespace fanfold::writer
