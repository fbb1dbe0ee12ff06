// The answers of one connection, given in any order, taken in the order of their requests. Internal
// to common/http.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "common/http/http_server.h"

namespace fanfold::http {

// What the head of an answer has to say beside the response.
struct AnswerTraits {
  bool without_body = false;  // HEAD
  bool is_http_1_0 = false;
  bool keep_alive = true;
};

struct Answered {
  AnswerTraits traits;
  Response response;
};

// Thread-safe. Outlives its connection in the hands of those who still have to answer; then answers
// are dropped.
class ReplyQueue {
 public:
  using Ticket = std::uint64_t;

  // `wake` is called under the queue's lock, from any thread, when there is something to take; not
  // again until the next Take, and never after Close. It must not call back.
  explicit ReplyQueue(std::function<void()> wake);

  // A place for one more answer, behind all others.
  [[nodiscard]] Ticket Push(AnswerTraits traits);
  void Answer(Ticket ticket, Response response);

  // No wake until the next Take: the caller is going to take anyway.
  void Hold();
  // Appends the answers that are ready and have none missing before them. Returns how many requests
  // are left unanswered or untaken.
  std::size_t Take(std::vector<Answered>& answers);
  [[nodiscard]] std::size_t Depth() const;
  void Close();

 private:
  struct Slot {
    AnswerTraits traits;
    bool ready = false;
    Response response;
  };

  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::deque<Slot> slots_;
  Ticket first_ = 0;
  bool wakes_ = false;
  bool closed_ = false;
};

}  // namespace fanfold::http
