#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/relation/event.h"
#include "writer/command_service.h"

namespace fanfold::writer {

// Joins the two things a waiting caller is owed, the log's ack and the outcome, which come in
// either order. The outcome alone is enough: there is none without the event in the log. When the
// time runs out before the ack, the ack is waited for all the same: it alone tells 202 from 503.
// Thread-safe.
class PendingDecision {
 public:
  PendingDecision(std::string event_id, CommandService::Answered answered);

  void Acked(const Result<Position>& appended);
  // The outcome, or nothing when the time ran out.
  void Decided(const std::optional<Outcome>& outcome);

 private:
  void AnswerOnce(Answer answer);

  const std::string event_id_;
  std::mutex mutex_;
  CommandService::Answered answered_;  // empty once called
  std::optional<Answer> acked_;
  bool out_of_time_ = false;
};

}  // namespace fanfold::writer
