#pragma once

#include <vector>

#include "common/base/metrics.h"
#include "common/http/http_server.h"
#include "writer/command.h"

namespace fanfold::writer {

// Answers requests and counts refusals, of a batch each one. Thread-safe.
class CountedReplies {
 public:
  // `metrics` outlives every answer.
  explicit CountedReplies(Metrics& metrics);

  void Send(const Answer& answer, const http::Reply& reply) const;
  void Send(const std::vector<Answer>& answers, const http::Reply& reply) const;
  void Refuse(const Refusal& refusal, const http::Reply& reply) const;
  // `response` says which parameter nobody knows.
  void RefuseParameter(http::Response response, const http::Reply& reply) const;

  // A wait whose time ran out before its outcome came.
  void CountTimeout() const { wait_timeouts_.Add(1); }
  // Counts an answer that is sent otherwise.
  void Count(RefusalCode code) const { CounterOf(code).Add(1); }

 private:
  [[nodiscard]] Counter& CounterOf(RefusalCode code) const;

  Metrics& metrics_;
  Counter& wait_timeouts_;
};

}  // namespace fanfold::writer
