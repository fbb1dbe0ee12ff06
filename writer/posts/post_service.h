// Posts to events in the log, and what became of them. Knows nothing of HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/caller.h"
#include "common/base/clock.h"
#include "common/ports/event_log.h"
#include "common/stream/event_ids.h"
#include "writer/outcome_waiters.h"
#include "writer/posts/post_command.h"
#include "writer/random_ids.h"
#include "writer/topic_appender.h"

namespace fanfold::writer {

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
        clock_(clock),
        event_ids_(process_bits),
        post_ids_(post_id_bits),
        appender_(partitions) {}

  // Gives it the appender of post-events, which it owns. Until then everything is refused with
  // kLogUnavailable. Requires: not called before.
  void Connect(std::unique_ptr<LogAppender> appender) { appender_.Connect(std::move(appender)); }

  // Appends the command's event. With `wait_timeout_ms`: answers when the outcome is there or, once
  // the log has the event, when the time has run out. Refusals: RefuseAhead's, kLogUnavailable,
  // kOverloaded; of a post these name its id.
  void Submit(const PostCommand& command, std::optional<std::int64_t> wait_timeout_ms,
              Answered answered, const CallerPtr& caller = nullptr);

  // Appends the events in order and leaves refused ones out, those that lie ahead unless they are
  // imported among them. Gives one answer each, in order.
  void SubmitBatch(std::vector<ParsedPost> commands, bool imported, BatchAnswered answered);

  // Waits until the log has answered for everything appended so far; false when the time ran out.
  [[nodiscard]] bool Flush(std::int64_t timeout_ms) { return appender_.Flush(timeout_ms); }

 private:
  [[nodiscard]] PostEvent EventOf(const PostCommand& command, std::int64_t now_ms);
  void Append(const PostEvent& event, LogAppender::Done done);

  PostWaiters& waiters_;
  const Clock& clock_;
  EventIds event_ids_;
  // Ids for posts that come without one: posts are sorted by their score.
  RandomIds<PostId> post_ids_;
  TopicAppender appender_;  // last: it still calls back
};

}  // namespace fanfold::writer
