#include "reader/changes/change_board.h"

#include <algorithm>

#include "reader/changes/change_listener.h"
#include "reader/changes/event_stream.h"

namespace fanfold::reader {

namespace {

constexpr UserId kEverybody{0};
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

// Made when it is first wanted.
class SharedId {
 public:
  explicit SharedId(const ChangePlace& at) : at_(at) {}
  const std::string& Get() {
    if (id_.empty()) id_ = IdOf(at_);
    return id_;
  }

 private:
  const ChangePlace& at_;
  std::string id_;
};

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

std::vector<bool> ChangeBoard::AreFollowed(std::span<const Told> told) {
  std::vector<bool> followed;
  const std::scoped_lock lock(mutex_);
  for (const auto& [event, change] : told) {
    followed.push_back(change &&
                       (followed_.contains(kEverybody) || followed_.contains(change->user) ||
                        followed_.contains(change->other)));
  }
  return followed;
}

void ChangeBoard::Publish(std::span<const Told> told) {
  Parts parts;
  {
    const std::scoped_lock lock(mutex_);
    if (!window_) return;
    std::vector<ListenerPtr> touched;
    for (const auto& [event, change] : told) {
      window_->Add(event, change);
      if (!change) continue;
      SharedId id(window_->at());
      ForEachWaiting(*change, [&, &what = *change](const ListenerPtr& listener) {
        if (listener->text.empty()) touched.push_back(listener);
        AppendChange(listener->text, what, listener->ahead ? IdOf(PlaceOf(*listener)) : id.Get());
      });
    }
    const std::int64_t now_ms = clock_.NowMs();
    for (const ListenerPtr& listener : touched) {
      if (IsOver(*listener, now_ms)) {
        listener->text.clear();
        End(*listener, kOver, parts);
        continue;
      }
      if (partitions_ > kPartitionsWithIdsMax) {
        AppendCheckpoint(listener->text, PlaceOf(*listener));
      }
      GiveTo(*listener, parts);
    }
  }
  Give(std::move(parts));
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
    for (const ListenerPtr& listener : due) {
      if (IsOver(*listener, now_ms)) {
        End(*listener, kOver, parts);
      } else {
        AppendCheckpoint(listener->text, PlaceOf(*listener));
        GiveTo(*listener, parts);
      }
    }
  }
  Give(std::move(parts));
}

ListenerPtr ChangeBoard::Join(ListenerAsked asked) {
  const std::scoped_lock lock(mutex_);
  if (retired_ || listeners_ == kListenersMax) return nullptr;
  listeners_shown_.Set(static_cast<double>(++listeners_));
  ++followed_[asked.filter.user.value_or(kEverybody)];
  auto listener = std::make_shared<Listener>(std::move(asked));
  if (window_) Place(*listener);
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

// Where it was asked to begin.
void ChangeBoard::Place(Listener& listener) const {
  ChangePlace place = window_->at();
  listener.number = window_->begin();
  const ChangeStart& start = listener.asked.start;
  if (std::holds_alternative<FromNow>(start)) listener.number = window_->end();
  if (std::holds_alternative<FromTheFirst>(start)) place = ChangePlace(partitions_);
  if (const auto* there = std::get_if<ChangePlace>(&start)) place = *there;
  if (const auto* behind = std::get_if<FromBehind>(&start)) {
    for (const StreamPosition& event : *behind) place.Pass(event);
  }
  listener.place = std::make_shared<const ChangePlace>(std::move(place));
}

std::optional<ChangePlace> ChangeBoard::IsBehind(const ListenerPtr& listener) {
  const std::scoped_lock lock(mutex_);
  if (!window_ || retired_) return std::nullopt;
  if (!listener->place) Place(*listener);
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
  listener->number = window_ ? window_->begin() : 0;
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
  if (!listener->place) Place(*listener);
  // It was not when he was asked where he stands.
  if (!listener->place->Reaches(window_->floor())) return End(*listener, kBehind, parts);
  if (!std::exchange(listener->greeted, true)) {
    AppendGreeting(listener->text, *listener->place);
  } else {
    AppendHeld(*listener);
  }
  if (listener->text.empty()) return Wait(listener);
  GiveTo(*listener, parts);
}

// What the window holds behind his place.
void ChangeBoard::AppendHeld(Listener& listener) const {
  listener.number = std::max(listener.number, window_->begin());
  if (listener.number == window_->end()) return;
  ChangePlace place = *listener.place;
  for (; listener.number < window_->end(); ++listener.number) {
    if (listener.text.size() >= kPartBytesMax) break;
    const Change& change = *(*window_)[listener.number];
    if (place.HasPassed(change.event)) continue;
    place.Pass(change.event);
    if (!listener.asked.filter.Wants(change)) continue;
    AppendChange(listener.text, change, IdOf(place));
  }
  if (listener.number == window_->end()) place.Raise(window_->at());
  if (partitions_ > kPartitionsWithIdsMax && !listener.text.empty()) {
    AppendCheckpoint(listener.text, place);
  }
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
    listener.ahead = false;
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
