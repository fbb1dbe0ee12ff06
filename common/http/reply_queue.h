// The answers of one connection, given in any order, taken in the order of their requests. Internal
// to common/http.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "common/http/byte_budget.h"
#include "common/http/http_server.h"

namespace fanfold::http {

// Traits of an answer's head beside the response.
struct AnswerTraits {
  bool without_body = false;  // HEAD
  bool is_http_1_0 = false;
  bool keep_alive = true;
};

struct Answered {
  AnswerTraits traits;
  Response response;
  ByteBudget::Room room;  // until it is sent
};

[[nodiscard]] inline bool IsStreamed(const Answered& answer) {
  return answer.response.stream != nullptr && !answer.traits.without_body;
}

// Thread-safe. Outlives its connection in the hands of those who still have to answer; then answers
// are dropped.
class ReplyQueue {
 public:
  using Ticket = std::uint64_t;

  // `wake` is called under the queue's lock, from any thread, when there is something to take; not
  // again until the next Take, and never after Close. It must not call back.
  // Answers that wait to be taken hold `bytes_max` at the most: one that has no room beside others
  // becomes a 503, and so does one for which `all`, which outlives the connection, has none. A
  // small one that waits for none before it always has room.
  ReplyQueue(std::function<void()> wake, std::size_t bytes_max, ByteBudget& all);

  // A place for one more answer, behind all others.
  [[nodiscard]] Ticket Push(AnswerTraits traits);
  void Answer(Ticket ticket, Response response);
  // Requires: it is not answered.
  void SetKeepAlive(Ticket ticket, bool keep_alive);
  [[nodiscard]] bool IsAnswered(Ticket ticket) const;

  // No wake until the next Take: the caller is going to take anyway.
  void Hold();
  // Appends the answers that are ready and have none missing before them, up to a streamed one,
  // which keeps its place until its last part is taken. Returns how many requests are left
  // unanswered or untaken, that one included.
  std::size_t Take(std::vector<Answered>& answers);

  enum class PartState : std::uint8_t { kOwed, kTaken, kFailed };
  // Adds the next part of the streamed answer; nothing: there will be none.
  void AddPart(std::optional<BodyPart> part);
  [[nodiscard]] PartState TakePart(BodyPart& part);

  [[nodiscard]] std::size_t Depth() const;
  // May one more request be answered, of `requests_max` at the most? Not while what waits to be
  // taken holds a small part of bytes_max, or anything at all where all connections together are
  // short of room: what answers at once is never in want of room.
  [[nodiscard]] bool HasRoom(std::size_t requests_max) const;
  void Close();

 private:
  struct Slot {
    AnswerTraits traits;
    bool ready = false;
    Response response;
    ByteBudget::Room room;
  };

  void Wake();
  void Pop();

  mutable std::mutex mutex_;
  std::function<void()> wake_;
  const std::size_t bytes_max_;
  ByteBudget& all_;
  std::size_t bytes_ = 0;  // of the answers that are ready
  std::deque<Slot> slots_;
  Ticket first_ = 0;
  bool streams_ = false;  // the first slot's answer is taken, its parts are not
  std::optional<BodyPart> part_;
  bool part_failed_ = false;
  bool wakes_ = false;
  bool closed_ = false;
};

}  // namespace fanfold::http
