#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/ports/event_log.h"
#include "common/relation/event.h"
#include "writer/command_service.h"
#include "writer/pending_answer.h"

namespace fanfold::writer {

// The decision about a relation. Thread-safe.
class PendingDecision {
 public:
  PendingDecision(std::string event_id, CommandService::Answered answered);

  void Acked(const Result<Position>& appended);
  // The outcome, or nothing when the time ran out.
  void Decided(const std::optional<Outcome>& outcome);

 private:
  const std::string event_id_;
  PendingAnswer<Answer> pending_;
};

}  // namespace fanfold::writer
