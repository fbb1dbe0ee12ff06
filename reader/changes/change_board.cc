#include "reader/changes/change_board.h"

#include <algorithm>
#include <utility>

#include "reader/changes/change_listener.h"
#include "reader/changes/event_stream.h"

namespace fanfold::reader {
namespace {

constexpr UserId kEverybody{0};
constexpr std::size_t kGivenInARow = 16;
constexpr std::int64_t kOthersTurnMs = 1;
constexpr std::string_view kStops = "this process stops: come again";
constexpr std::string_view kLost = "the place in the log is lost: come again";
constexpr std::string_view kOver = "the token is good no longer";
constexpr std::string_view kBehind = "too far behind: come again";

bool IsOver(const Listener& listener, std::int64_t now_ms) {
  return listener.asked.who && listener.asked.who->IsOver(now_ms);
}

// Told when the lock is left: a sink may call back.
void Give(std::vector<std::pair<http::PartSink, http::BodyPart>> parts) {
  for (auto& [sink, part] : parts) sink(std::move(part));
}

// The same, so many at a time: the connections' threads, which write them, have others to serve.
void GiveInTurns(std::vector<std::pair<http::PartSink, http::BodyPart>> parts, const Clock& clock) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && i % kGivenInARow == 0) clock.SleepMs(kOthersTurnMs);
    parts[i].first(std::move(parts[i].second));
  }
}

}  // namespace

ChangeBoard::ChangeBoard(std::int32_t partitions, const Clock& clock, Metrics& metrics)
    : partitions_(partitions),
      clock_(clock),
      listeners_shown_(metrics.GetGauge("fanfold_reader_listeners", "Followers of changes")),
      told_shown_(metrics.GetCounter("fanfold_reader_changes_parts_total",
                                     "Parts of streams of changes, of one or several events")) {}

void ChangeBoard::Start(const ChangePlace& at) {
  const std::scoped_lock lock(mutex_);
  window_.emplace(at, kWindowBytesMax);
}

void ChangeBoard::Lose() {
  Parts parts;
  {
    const std::scoped_lock lock(mutex_);
    if (!window_) return;
    EndAll(kLost, parts);
    window_.reset();
  }
  Give(std::move(parts));
}

void ChangeBoard::Retire() {
  Parts parts;
  {
    const std::scoped_lock lock(mutex_);
    retired_ = true;
    EndAll(kStops, parts);
  }
  Give(std::move(parts));
}

template <class Each>
void ChangeBoard::ForEachWaiting(const Change& change, const Each& each) {
  const auto of_user = [&](UserId user) {
    const auto [first, last] = waiting_.equal_range(user);
    for (auto at = first; at != last; ++at) {
      const Listener& listener = *at->second;
      if (!listener.asked.filter.Wants(change)) continue;
      if (!listener.ahead || !listener.place->HasPassed(change.event)) each(at->second);
    }
  };
  of_user(kEverybody);
  of_user(change.user);
  if (change.other != kEverybody && change.other != change.user) of_user(change.other);
}

std::vector<bool> ChangeBoard::AreFollowed(std::span<const ToldEvent> told) {
  std::vector<bool> followed;
  const std::scoped_lock lock(mutex_);
  for (const auto& [event, digest, change] : told) {
    followed.push_back(change &&
                       (followed_.contains(kEverybody) || followed_.contains(change->user) ||
                        followed_.contains(change->other)));
  }
  return followed;
}

void ChangeBoard::Publish(std::span<const ToldEvent> told) {
  Parts parts;
  {
    const std::scoped_lock lock(mutex_);
    if (!window_) return;
    std::vector<ListenerPtr> touched;
    std::vector<ListenerPtr> full;
    const std::int64_t now_ms = clock_.NowMs();
    for (const ToldEvent& one : told) {
      window_->Add(one);
      if (!one.change) continue;
      ForEachWaiting(*one.change, [&, &what = *one.change](const ListenerPtr& listener) {
        if (listener->text.empty()) touched.push_back(listener);
        if (!listener->ahead) {
          listener->text += window_->Text(window_->end() - 1, window_->at());
        } else {
          AppendChange(listener->text, what, IdOf(PlaceOf(*listener)));
        }
        if (listener->text.size() >= kPublishedBytesMax) full.push_back(listener);
      });
      // The window tells them the rest once they ask.
      for (const ListenerPtr& listener : std::exchange(full, {})) Tell(*listener, now_ms, parts);
    }
    for (const ListenerPtr& listener : touched) {
      if (!listener->text.empty()) Tell(*listener, now_ms, parts);
    }
  }
  GiveInTurns(std::move(parts), clock_);
}

// What was published, or where they stand.
void ChangeBoard::Tell(Listener& listener, std::int64_t now_ms, Parts& parts) {
  if (IsOver(listener, now_ms)) {
    listener.text.clear();
    return End(listener, kOver, parts);
  }
  const bool has_ids = partitions_ <= kPartitionsWithIdsMax && !listener.text.empty();
  if (!has_ids) AppendCheckpoint(listener.text, PlaceOf(listener));
  GiveTo(listener, parts);
}

void ChangeBoard::Sweep() {
  Parts parts;
  {
    const std::scoped_lock lock(mutex_);
    std::vector<ListenerPtr> due;
    const std::int64_t now_ms = clock_.NowMs();
    const std::int64_t quiet_since_ms = clock_.SteadyMs() - kCheckpointMs;
    for (const auto& [user, listener] : waiting_) {
      if (listener->told_ms <= quiet_since_ms || IsOver(*listener, now_ms)) due.push_back(listener);
    }
    for (const ListenerPtr& listener : due) Tell(*listener, now_ms, parts);
  }
  GiveInTurns(std::move(parts), clock_);
}

ListenerPtr ChangeBoard::Join(ListenerAsked asked) {
  const std::scoped_lock lock(mutex_);
  if (retired_ || listeners_ == kListenersMax) return nullptr;
  listeners_shown_.Set(static_cast<double>(++listeners_));
  ++followed_[asked.filter.user.value_or(kEverybody)];
  auto listener = std::make_shared<Listener>(std::move(asked));
  if (window_) listener->PlaceIn(*window_);
  return listener;
}

void ChangeBoard::Leave(const ListenerPtr& listener) {
  std::optional<http::PartSink> dropped;  // outside the lock: it calls back
  const std::scoped_lock lock(mutex_);
  listeners_shown_.Set(static_cast<double>(--listeners_));
  listener->left = true;
  const auto followed = followed_.find(listener->asked.filter.user.value_or(kEverybody));
  if (--followed->second == 0) followed_.erase(followed);
  if (listener->waits) waiting_.erase(*std::exchange(listener->waits, std::nullopt));
  dropped.swap(listener->sink);
}

std::optional<Claim> ChangeBoard::Judge(const ListenerPtr& listener) {
  const std::scoped_lock lock(mutex_);
  if (!window_ || retired_) return std::nullopt;
  if (!listener->place) listener->PlaceIn(*window_);
  return listener->JudgedBy(*window_);
}

std::optional<ChangePlace> ChangeBoard::IsBehind(const ListenerPtr& listener) {
  const std::scoped_lock lock(mutex_);
  if (!window_ || retired_) return std::nullopt;
  if (!listener->place) listener->PlaceIn(*window_);
  if (listener->place->Reaches(window_->floor())) return std::nullopt;
  return *listener->place;
}

std::optional<ChangePlace> ChangeBoard::FloorFor(const ListenerPtr& listener) {
  const std::scoped_lock lock(mutex_);
  if (!window_ || retired_ || IsOver(*listener, clock_.NowMs())) return std::nullopt;
  return window_->floor();
}

void ChangeBoard::StandAt(const ListenerPtr& listener, const ChangePlace& place) {
  const std::scoped_lock lock(mutex_);
  listener->place = std::make_shared<const ChangePlace>(place);
  listener->number = window_ ? window_->FirstBehind(place) : 0;
  listener->in_step = false;
  listener->greeted = true;
}

void ChangeBoard::Ask(const ListenerPtr& listener, http::PartSink sink) {
  Parts parts;
  {
    const std::scoped_lock lock(mutex_);
    if (listener->left) return;
    listener->sink = std::move(sink);
    if (retired_ || !window_) {
      End(*listener, retired_ ? kStops : kLost, parts);
    } else if (IsOver(*listener, clock_.NowMs())) {
      End(*listener, kOver, parts);
    } else {
      Tell(listener, parts);
    }
  }
  Give(std::move(parts));
}

void ChangeBoard::Tell(const ListenerPtr& listener, Parts& parts) {
  if (!listener->place) listener->PlaceIn(*window_);
  // It was not behind when it was asked where it stands.
  if (!listener->place->Reaches(window_->floor())) return End(*listener, kBehind, parts);
  if (!std::exchange(listener->greeted, true)) {
    AppendGreeting(listener->text, *listener->place);
  } else {
    AppendHeld(*listener);
  }
  if (listener->text.empty()) return Wait(listener);
  GiveTo(*listener, parts);
}

// Appends what the window holds behind the listener's place.
void ChangeBoard::AppendHeld(Listener& listener) {
  listener.number = std::max(listener.number, window_->begin());
  if (listener.number == window_->end()) return;
  ChangePlace place = *listener.place;
  const std::uint64_t end = std::min(window_->end(), listener.number + kLookedAtMax);
  for (; listener.number < end; ++listener.number) {
    if (listener.text.size() >= kPartBytesMax) break;
    const ToldEvent& told = (*window_)[listener.number];
    if (place.HasPassed(told.event)) continue;
    place.Pass(told.event, told.digest);
    if (!told.change || !listener.asked.filter.Wants(*told.change)) continue;
    if (listener.in_step) {
      listener.text += window_->Text(listener.number, place);
    } else {
      AppendChange(listener.text, *told.change, IdOf(place));
    }
  }
  if (listener.number == window_->end()) {
    place.Raise(window_->at());
    listener.in_step = window_->at().Reaches(place);
  }
  const bool tells_place = listener.text.empty() ? listener.number < window_->end()
                                                 : partitions_ > kPartitionsWithIdsMax;
  if (tells_place) AppendCheckpoint(listener.text, place);
  listener.place = std::make_shared<const ChangePlace>(std::move(place));
}

void ChangeBoard::Wait(const ListenerPtr& listener) {
  listener->ahead = !window_->at().Reaches(*listener->place);
  if (!listener->ahead) listener->place = nullptr;
  listener->waits = waiting_.emplace(listener->asked.filter.user.value_or(kEverybody), listener);
}

// Where one who waits stands.
ChangePlace ChangeBoard::PlaceOf(const Listener& listener) const {
  ChangePlace place = window_->at();
  if (listener.ahead) place.Raise(*listener.place);
  return place;
}

void ChangeBoard::GiveTo(Listener& listener, Parts& parts, bool last) {
  if (listener.waits) {
    listener.place = std::make_shared<const ChangePlace>(PlaceOf(listener));
    listener.number = window_->end();
    listener.in_step = !std::exchange(listener.ahead, false);
    waiting_.erase(*std::exchange(listener.waits, std::nullopt));
  }
  parts.emplace_back(*std::exchange(listener.sink, std::nullopt),
                     http::BodyPart{std::exchange(listener.text, {}), last});
  listener.told_ms = clock_.SteadyMs();
  told_shown_.Add(1);
}

void ChangeBoard::End(Listener& listener, std::string_view why, Parts& parts) {
  AppendWhy(listener.text, why);
  GiveTo(listener, parts, true);
}

void ChangeBoard::EndAll(std::string_view why, Parts& parts) {
  while (!waiting_.empty()) {
    const ListenerPtr listener = waiting_.begin()->second;
    End(*listener, why, parts);
  }
}

}  // namespace fanfold::reader
