// Joins the two things a waiting caller is owed, the log's ack and the outcome.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace fanfold::writer {

// They come in either order. The outcome alone is enough: there is none without the event in the
// log. When the time runs out before the ack, the ack is waited for all the same: it alone tells
// 202 from 503. Thread-safe. `Answer` is a std::expected.
template <class Answer>
class PendingAnswer {
 public:
  using Answered = std::function<void(Answer)>;

  explicit PendingAnswer(Answered answered) : answered_(std::move(answered)) {}

  // By what the log said.
  void Acked(Answer answer) {
    {
      const std::lock_guard lock(mutex_);
      if (answer && !out_of_time_) {
        acked_ = std::move(answer);
        return;
      }
    }
    AnswerOnce(std::move(answer));
  }

  // By the outcome; nothing when the time ran out.
  void Decided(std::optional<Answer> answer) {
    if (answer) return AnswerOnce(*std::move(answer));
    std::optional<Answer> acked;
    {
      const std::lock_guard lock(mutex_);
      out_of_time_ = true;
      acked = std::move(acked_);
    }
    if (acked) AnswerOnce(*std::move(acked));
  }

 private:
  void AnswerOnce(Answer answer) {
    Answered answered;
    {
      const std::lock_guard lock(mutex_);
      answered = std::exchange(answered_, nullptr);
    }
    if (answered) answered(std::move(answer));
  }

  std::mutex mutex_;
  Answered answered_;  // empty once called
  std::optional<Answer> acked_;
  bool out_of_time_ = false;
};

}  // namespace fanfold::writer
