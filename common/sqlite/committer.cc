#include "common/sqlite/committer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "common/base/check.h"
#include "common/base/logging.h"
#include "common/sqlite/log_reader.h"

namespace fanfold::sqlite {

using std::chrono::milliseconds;

Committer::Committer(std::unique_ptr<LogFile> file, std::shared_ptr<LogEnds> ends,
                     const Clock& clock, bool own_thread)
    : clock_(clock), ends_(std::move(ends)), file_(std::move(file)) {
  if (own_thread) thread_ = std::thread([this] { Run(); });
}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<AppendQueue> Committer::NewQueue(const AppenderOptions& options) {
  const std::lock_guard lock(mutex_);
  return queues_.emplace_back(std::make_shared<AppendQueue>(options, file_->partitions()));
}

void Committer::Close(const std::shared_ptr<AppendQueue>& queue) {
  std::unique_lock lock(mutex_);
  queue->Close();
  if (thread_.joinable()) {
    work_.notify_all();
    answered_.wait(lock, [&] { return queue->answered() == queue->added(); });
  } else {
    lock.unlock();
    FillGroup();
    (void)GiveUp({});
    lock.lock();
  }
  std::erase(queues_, queue);
}

void Committer::Append(AppendQueue& queue, NewRecord record, LogAppender::Done done) {
  Waiting waiting{std::move(record), std::move(done), clock_.SteadyMs()};
  Status added;
  {
    const std::lock_guard lock(mutex_);
    added = queue.Add(waiting);
    // Whoever lingers is not woken for each companion.
    if (added && (queue.size() == 1 || queue.size() == kGroupRecordsMax)) work_.notify_all();
  }
  if (!added) waiting.done(Forward(added));
}

bool Committer::Flush(const AppendQueue& queue, std::int64_t timeout_ms) {
  if (!thread_.joinable()) CommitQueued();
  std::unique_lock lock(mutex_);
  const std::uint64_t last = queue.added();
  return answered_.wait_for(lock, milliseconds(thread_.joinable() ? timeout_ms : 0),
                            [&] { return queue.answered() >= last; });
}

std::size_t Committer::CommitQueued() {
  FANFOLD_CHECK(!thread_.joinable(), "the log commits by a thread of its own");
  return Round();
}

Status Committer::Health() const {
  const std::lock_guard lock(mutex_);
  return health_;
}

void Committer::Run() {
  while (AwaitWork()) Round();
}

bool Committer::AwaitWork() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const std::optional<std::int64_t> due_ms = DueMs();
    const std::int64_t now_ms = clock_.SteadyMs();
    if (due_ms && *due_ms <= now_ms) return true;
    if (due_ms) {
      work_.wait_for(lock, milliseconds(*due_ms - now_ms));
    } else {
      work_.wait(lock);
    }
  }
  return false;
}

std::optional<std::int64_t> Committer::DueMs() const {
  constexpr std::int64_t kAtOnce = 0;
  std::optional<std::int64_t> due_ms;
  if (!group_.empty()) due_ms = retry_at_ms_;
  for (const auto& queue : queues_) {
    if (queue->closed() && queue->answered() < queue->added()) return kAtOnce;
    if (!group_.empty()) continue;
    if (queue->size() >= kGroupRecordsMax) return kAtOnce;
    const std::optional<std::int64_t> first_ms = queue->DueMs();
    if (first_ms && (!due_ms || *first_ms < *due_ms)) due_ms = first_ms;
  }
  return due_ms;
}

std::size_t Committer::Round() {
  FillGroup();
  const std::size_t given_up = GiveUp({});
  if (group_.empty()) return given_up;
  std::vector<NewRecord*> records;
  records.reserve(group_.size());
  for (Taken& taken : group_) records.push_back(&taken.waiting.record);
  Status written = file_->Append(records, clock_.NowMs());
  if (!written) written = std::unexpected(AsLogError(std::move(written.error())));
  {
    const std::lock_guard lock(mutex_);
    health_ = written;
  }
  if (!written) {
    NoteFailure(written.error());
    return given_up + GiveUp(written);
  }
  retry_.Reset();
  ends_->Publish(file_->bounds());
  const std::size_t answered = AnswerWritten();
  const Status moved = file_->CheckpointWhenLarge();
  if (!moved) LogWarning("checkpoint of the log failed", {{"why", moved.error().message}});
  return given_up + answered;
}

void Committer::NoteFailure(const Error& error) {
  const std::int64_t wait_ms = retry_.Next();
  retry_at_ms_ = clock_.SteadyMs() + wait_ms;
  LogWarning("the log cannot be written",
             {{"why", error.message}, {"records", group_.size()}, {"retry_ms", wait_ms}});
  if (error.code != ErrorCode::kUnknown) return;
  for (Taken& taken : group_) taken.waiting.perhaps_written = true;
}

void Committer::FillGroup() {
  const std::lock_guard lock(mutex_);
  const auto filled = std::ranges::count_if(
      queues_, [](const std::shared_ptr<AppendQueue>& queue) { return queue->size() > 0; });
  if (filled == 0) return;
  const std::size_t share = kGroupRecordsMax / static_cast<std::size_t>(filled);
  for (const auto& queue : queues_) {
    for (std::size_t taken = 0; queue->size() > 0 && (taken < share || queue->closed()); ++taken) {
      group_.push_back({queue, queue->Take()});
    }
  }
}

std::size_t Committer::GiveUp(const Status& written) {
  const std::int64_t now_ms = clock_.SteadyMs();
  std::vector<Taken> kept;
  std::vector<Taken> given_up;
  std::vector<Error> why;
  {
    const std::lock_guard lock(mutex_);
    for (Taken& taken : group_) {
      std::optional<Error> reason = taken.queue->WhyGiveUp(taken.waiting, written, now_ms);
      (reason ? given_up : kept).push_back(std::move(taken));
      if (reason) why.push_back(std::move(*reason));
    }
  }
  group_ = std::move(kept);
  for (std::size_t i = 0; i < given_up.size(); ++i) {
    given_up[i].waiting.done(std::unexpected(std::move(why[i])));
  }
  Count(given_up);
  return given_up.size();
}

std::size_t Committer::AnswerWritten() {
  const std::vector<Taken> written = std::exchange(group_, {});
  for (const Taken& taken : written) {
    taken.waiting.done(Position{taken.waiting.record.partition, taken.waiting.record.offset});
  }
  Count(written);
  return written.size();
}

void Committer::Count(std::span<const Taken> answered) {
  if (answered.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const Taken& taken : answered) taken.queue->Answered(taken.waiting.record);
  answered_.notify_all();
}

}  // namespace fanfold::sqlite
