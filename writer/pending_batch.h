// Joins the answers that a batch is owed.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace fanfold::writer {

// The answers of one batch on their way; the last one in sends them off.
template <class Answer>
struct PendingBatch {
  using BatchAnswered = std::function<void(std::vector<Answer>)>;

  PendingBatch(std::size_t events, BatchAnswered done)
      : answers(events), missing(events + 1), answered(std::move(done)) {}

  // Counts the submitting call itself too, so that nothing is sent off before all were submitted.
  void OneDone() {
    if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) answered(std::exchange(answers, {}));
  }

  void Answered(std::size_t index, Answer answer) {
    answers[index] = std::move(answer);
    OneDone();
  }

  std::vector<Answer> answers;
  std::atomic<std::size_t> missing;
  BatchAnswered answered;
};

}  // namespace fanfold::writer
