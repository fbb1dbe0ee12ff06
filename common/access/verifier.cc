#include "common/access/verifier.h"

#include <utility>

#include "common/base/pause.h"

namespace fanfold {
namespace {

constexpr std::string_view kOfTokens =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";

Counter& JudgedCounter(Metrics& metrics, const char* result) {
  return metrics.GetCounter("fanfold_access_tokens_total",
                            "Tokens judged; those that are remembered are not judged again",
                            {{"result", result}});
}

}  // namespace

Verifier::Verifier(std::unique_ptr<Authority> authority, const Clock& clock, Metrics& metrics)
    : authority_(std::move(authority)),
      clock_(clock),
      accepted_(JudgedCounter(metrics, "accepted")),
      refused_(JudgedCounter(metrics, "refused")),
      judge_([this](const std::stop_token& stop) { Work(stop); }),
      follower_([this](const std::stop_token& stop) { Follow(stop); }) {}

Verifier::~Verifier() {
  judge_.request_stop();
  follower_.request_stop();
  judge_.join();
  follower_.join();
}

Result<PrincipalPtr> Verifier::Now(std::string_view token) {
  if (token.size() > Authority::kTokenBytesMax) {
    return Fail(ErrorCode::kRefused, "the token is too long");
  }
  const std::int64_t now_ms = clock_.NowMs();
  if (PrincipalPtr known = remembered_.Find(token, now_ms)) return known;
  if (token.empty() || token.find_first_not_of(kOfTokens) != token.npos) {
    return Fail(ErrorCode::kRefused, "the token is none");
  }
  if (!StaticTokenIdOf(token)) return nullptr;
  Result<PrincipalPtr> judged = authority_->JudgeStatic(token, now_ms);
  (judged ? accepted_ : refused_).Add(1);
  if (judged) remembered_.Add(token, *judged);
  return judged;
}

Status Verifier::Verify(std::string_view token, std::size_t bytes, Judged judged) {
  PrincipalPtr known;
  {
    const std::scoped_lock lock(mutex_);
    const auto waits = waiting_.find(std::string(token));
    if (waits == waiting_.end()) known = remembered_.Find(token, clock_.NowMs());
    if (!known) {
      if (waiting_count_ >= kWaitingMax || waiting_bytes_ + bytes > kWaitingBytesMax) {
        return Fail(ErrorCode::kOverloaded, "too many wait for their tokens to be judged");
      }
      waiting_count_ += 1;
      waiting_bytes_ += bytes;
      if (waits != waiting_.end()) {
        waits->second.push_back({bytes, std::move(judged)});
        return {};
      }
      waiting_[std::string(token)].push_back({bytes, std::move(judged)});
      queue_.emplace_back(token);
      changed_.notify_one();
      return {};
    }
  }
  judged(known);
  return {};
}

void Verifier::Work(const std::stop_token& stop) {
  while (true) {
    std::string token;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [this] { return !queue_.empty(); });
      if (stop.stop_requested()) return;
      token = std::move(queue_.front());
      queue_.pop_front();
    }
    Judge(token);
  }
}

void Verifier::Judge(const std::string& token) {
  const Result<PrincipalPtr> judged = authority_->JudgeSigned(token, clock_.NowMs());
  (judged ? accepted_ : refused_).Add(1);
  if (judged) remembered_.Add(token, *judged);
  for (const Waiting& one : TakeWaiting(token)) one.judged(judged);
}

std::vector<Verifier::Waiting> Verifier::TakeWaiting(const std::string& token) {
  const std::scoped_lock lock(mutex_);
  const auto found = waiting_.find(token);
  std::vector<Waiting> taken = std::move(found->second);
  waiting_.erase(found);
  for (const Waiting& one : taken) {
    waiting_count_ -= 1;
    waiting_bytes_ -= one.bytes;
  }
  return taken;
}

void Verifier::Follow(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    PauseUnlessStopped(kReloadMs, stop);
    authority_->Reload();
  }
}

std::string Verifier::Lend() { return authority_->Lend(Scopes::All(), clock_.NowMs()); }

}  // namespace fanfold
