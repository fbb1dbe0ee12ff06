#include "writer/feed/shown_service.h"

#include <algorithm>
#include <atomic>

#include "writer/append_answer.h"
#include "writer/pending_batch.h"

namespace fanfold::writer {
namespace {

struct PendingShown {
  PendingShown(std::size_t count, PendingBatch<Answer>::BatchAnswered done)
      : events(count, std::move(done)) {}

  PendingBatch<Answer> events;
  std::atomic<bool> is_refused = false;  // one of them

  void Appended(std::size_t i, Answer answer) {
    if (!answer) is_refused.store(true, std::memory_order_relaxed);
    events.Answered(i, std::move(answer));
  }
};

}  // namespace

std::vector<FeedEvent> ShownService::EventsOf(UserId owner, const std::vector<ShownItem>& items) {
  const std::int64_t now_ms = clock_.NowMs();
  std::vector<FeedEvent> events;
  events.reserve(items.size() + 1);
  for (const ShownItem& item : items) {
    events.push_back({.event_id = event_ids_.Next(),
                      .type = FeedEventType::kShown,
                      .owner = owner,
                      .at_ms = now_ms,
                      .shown_id = shown_ids_.Next(),
                      .author = item.author,
                      .post_id = item.post});
  }
  events.push_back({.event_id = event_ids_.Next(),
                    .type = FeedEventType::kActive,
                    .owner = owner,
                    .at_ms = now_ms,
                    .shown_id = ShownId(0)});
  return events;
}

void ShownService::Shown(UserId owner, const std::vector<ShownItem>& items, Answered answered) {
  const std::vector<FeedEvent> events = EventsOf(owner, items);
  const auto answer = [answered = std::move(answered)](const std::vector<Answer>& answers) {
    const auto refused = std::ranges::find(answers, false, &Answer::has_value);
    answered(refused == answers.end() ? answers.back() : *refused);
  };
  const auto all = std::make_shared<PendingShown>(events.size(), answer);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (all->is_refused.load(std::memory_order_relaxed)) {
      all->Appended(i, Refuse(RefusalCode::kLogUnavailable, "one before it was refused"));
      continue;
    }
    appender_.Append(owner, EncodeFeedEvent(events[i]),
                     [all, i, event_id = events[i].event_id](const Result<Position>& appended) {
                       all->Appended(i, AnswerOfAppend(streams::kFeeds, event_id, appended));
                     });
  }
  all->events.OneDone();
}

}  // namespace fanfold::writer
