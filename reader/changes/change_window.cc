#include "reader/changes/change_window.h"

#include <algorithm>

#include "reader/changes/event_stream.h"

namespace fanfold::reader {

std::size_t ChangeWindow::BytesOf(const Event& event) {
  if (!event.told.change) return kEventBytes;
  return kEventBytes + kChangeBytes + event.told.change->members.capacity() + event.text.capacity();
}

void ChangeWindow::Add(const ToldEvent& told) {
  const auto held_of = [this](const StreamPosition& event) -> std::deque<Held>& {
    return held_[at_.IndexOf(event.stream, event.position.partition)];
  };
  at_.Pass(told.event, told.digest);
  held_of(told.event).push_back({told.digest, end()});
  bytes_ += BytesOf(events_.emplace_back(told, std::string()));
  while (bytes_ > bytes_max_) {
    const Event& first = events_.front();
    floor_.Pass(first.told.event, first.told.digest);
    bytes_ -= BytesOf(first);
    held_of(first.told.event).pop_front();
    events_.pop_front();
    ++begin_;
  }
}

std::string_view ChangeWindow::Text(std::uint64_t number, const ChangePlace& at) {
  Event& event = events_[static_cast<std::size_t>(number - begin_)];
  if (event.text.empty()) {
    bytes_ -= BytesOf(event);
    AppendChange(event.text, *event.told.change, IdOf(at));
    bytes_ += BytesOf(event);
  }
  return event.text;
}

void ChangeWindow::Teach(ChangePlace& place) const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    ChangePlace::Stand& stand = place.stands()[i];
    const ChangePlace::Stand& floor = floor_.stands()[i];
    if (stand.next < floor.next || stand.next > at_.stands()[i].next) continue;
    const auto held = static_cast<std::size_t>(stand.next.value - floor.next.value);
    stand.before = held == 0 ? floor.before : held_[i][held - 1].digest;
  }
}

std::uint64_t ChangeWindow::FirstBehind(const ChangePlace& place) const {
  std::uint64_t first = end();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const Offset next = std::max(place.stands()[i].next, floor_.stands()[i].next);
    const auto passed = static_cast<std::size_t>(next.value - floor_.stands()[i].next.value);
    if (passed < held_[i].size()) first = std::min(first, held_[i][passed].number);
  }
  return first;
}

}  // namespace fanfold::reader
