// Posts to events in the log, and what became of them. Knows nothing of HTTP.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/caller.h"
#include "common/base/clock.h"
#include "common/ports/event_log.h"
#include "common/stream/event_ids.h"
#include "writer/outcome_waiters.h"
#include "writer/posts/post_command.h"

namespace fanfold::writer {

// The ids of posts that come without one: 63 random bits, as good as never used before by their
// author. Not of the time: what sorts posts is their score, and an id tells nobody when, or how
// many, others wrote. Thread-safe.
class PostIds {
 public:
  explicit PostIds(std::uint64_t random_bits) noexcept : next_(random_bits) {}
  [[nodiscard]] PostId Next() noexcept;

 private:
  std::atomic<std::uint64_t> next_;
};

// Thread-safe. Nothing blocks. Each answer comes exactly once, from the caller's thread or from one
// of the appender's or the waiters'; the appender's delivery timeout and the wait bound it.
class PostService {
 public:
  using Answered = std::function<void(PostAnswer)>;
  using BatchAnswered = std::function<void(std::vector<PostAnswer>)>;

  // `waiters` and `clock` outlive this. Requires: Shape::IsValid of the partitions and one shard.
  PostService(PostWaiters& waiters, std::int32_t partitions, const Clock& clock,
              std::uint64_t process_bits, std::uint64_t post_id_bits)
      : waiters_(waiters),
        partitions_(partitions),
        clock_(clock),
        event_ids_(process_bits),
        post_ids_(post_id_bits) {}

  // Gives it the appender of post-events, which it owns. Until then everything is refused with
  // kLogUnavailable. Requires: not called before.
  void Connect(std::unique_ptr<LogAppender> appender);

  // Appends the command's event. With `wait_timeout_ms`: answers when the outcome is there or, once
  // the log has the event, when the time has run out. Refusals: RefuseAhead's, kLogUnavailable,
  // kOverloaded; of a post these name its id.
  void Submit(const PostCommand& command, std::optional<std::int64_t> wait_timeout_ms,
              Answered answered, const CallerPtr& caller = nullptr);

  // Appends the events in order and leaves refused ones out. Gives one answer each, in order.
  void SubmitBatch(std::vector<ParsedPost> commands, BatchAnswered answered);

  // Waits until the log has answered for everything appended so far; false when the time ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms);

 private:
  [[nodiscard]] PostEvent EventOf(const PostCommand& command, std::int64_t now_ms);
  void Append(const PostEvent& event, LogAppender::Done done);

  PostWaiters& waiters_;
  const std::int32_t partitions_;
  const Clock& clock_;
  EventIds event_ids_;
  PostIds post_ids_;
  std::atomic<bool> connected_ = false;    // until then appender_ must not be looked at
  std::unique_ptr<LogAppender> appender_;  // last: its destructor still calls back
};

}  // namespace fanfold::writer
