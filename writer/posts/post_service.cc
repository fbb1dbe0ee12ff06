#include "writer/posts/post_service.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "writer/append_answer.h"
#include "writer/pending_answer.h"
#include "writer/pending_batch.h"
#include "writer/posts/post_parser.h"

namespace fanfold::writer {
namespace {

using Pending = PendingAnswer<PostAnswer>;

bool IsPost(const PostEvent& event) { return event.type == PostEventType::kPost; }

std::unexpected<PostRefusal> RefusePost(Refusal refusal, std::optional<PostId> post = {}) {
  return std::unexpected(PostRefusal{std::move(refusal), post});
}

// A post that may be in the log is told by its id: repeated without it, it would be another one.
PostAnswer AnswerOf(const PostEvent& event, const Result<Position>& appended) {
  Answer answer = AnswerOfAppend(streams::kPosts, event.event_id, appended);
  const bool posts = IsPost(event);
  if (!answer) {
    return RefusePost(std::move(answer.error()),
                      posts ? std::optional(event.post_id) : std::nullopt);
  }
  PostAccepted accepted{std::move(answer->logged), std::nullopt, std::nullopt};
  if (posts) accepted.post = PostTold{event.post_id, event.at_ms};
  return accepted;
}

RefusalCode RefusalOf(PostRejection reason) noexcept {
  switch (reason) {
    case PostRejection::kUserDeleted:
      return RefusalCode::kUserDeleted;
  }
  return RefusalCode::kInvalidArgument;
}

PostAnswer AnswerOf(const PostEvent& event, const PostOutcome& outcome) {
  Logged logged{outcome.event_id, outcome.position, streams::kPosts};
  if (outcome.parked) {
    return RefusePost(Refusal{RefusalCode::kParked,
                              fmt::format("parked: {}", ToString(*outcome.parked)),
                              std::move(logged)});
  }
  if (outcome.rejected) {
    return RefusePost(Refusal{RefusalOf(*outcome.rejected),
                              fmt::format("rejected: {}", ToString(*outcome.rejected)),
                              std::move(logged)});
  }
  PostAccepted accepted{std::move(logged), std::nullopt, outcome.kind};
  if (IsPost(event)) accepted.post = PostTold{event.post_id, outcome.score};
  return accepted;
}

}  // namespace

PostEvent PostService::EventOf(const PostCommand& command, std::int64_t now_ms) {
  return {command.event_id.empty() ? event_ids_.Next() : command.event_id,
          command.type,
          command.author,
          command.post_id ? *command.post_id : post_ids_.Next(),
          command.at_ms.value_or(now_ms),
          command.post_type,
          command.content};
}

void PostService::Append(const PostEvent& event, LogAppender::Done done) {
  appender_.Append(event.author, EncodePostEvent(event), std::move(done));
}

void PostService::Submit(const PostCommand& command, std::optional<std::int64_t> wait_timeout_ms,
                         Answered answered, const CallerPtr& caller) {
  const std::int64_t now_ms = clock_.NowMs();
  if (auto refused = RefuseAhead(command, now_ms)) return answered(RefusePost(*std::move(refused)));
  const auto event = std::make_shared<const PostEvent>(EventOf(command, now_ms));
  if (!wait_timeout_ms) {
    return Append(*event,
                  [event, answered = std::move(answered)](const Result<Position>& appended) {
                    answered(AnswerOf(*event, appended));
                  });
  }
  const auto pending = std::make_shared<Pending>(answered);
  const Status registered = waiters_.Register(
      event->event_id, *wait_timeout_ms,
      [pending, event](const std::optional<PostOutcome>& outcome) {
        pending->Decided(outcome ? std::optional(AnswerOf(*event, *outcome)) : std::nullopt);
      },
      caller);
  if (!registered) {
    return answered(
        RefusePost(Refusal{RefusalCode::kOverloaded, registered.error().message, std::nullopt},
                   IsPost(*event) ? std::optional(event->post_id) : std::nullopt));
  }
  Append(*event, [this, pending, event](const Result<Position>& appended) {
    if (!appended) waiters_.Forget(event->event_id);
    pending->Acked(AnswerOf(*event, appended));
  });
}

void PostService::SubmitBatch(std::vector<ParsedPost> commands, bool imported,
                              BatchAnswered answered) {
  const auto batch =
      std::make_shared<PendingBatch<PostAnswer>>(commands.size(), std::move(answered));
  const std::int64_t now_ms = clock_.NowMs();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    ParsedPost& command = commands[i];
    if (command && !imported) {
      if (auto refused = RefuseAhead(*command, now_ms)) command = std::unexpected(*refused);
    }
    if (!command) {
      batch->Answered(i, RefusePost(std::move(command.error())));
      continue;
    }
    const auto event = std::make_shared<const PostEvent>(EventOf(*command, now_ms));
    Append(*event, [batch, i, event](const Result<Position>& appended) {
      batch->Answered(i, AnswerOf(*event, appended));
    });
  }
  batch->OneDone();
}

}  // namespace fanfold::writer
